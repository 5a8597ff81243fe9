import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const TOKENS = readFileSync('docs/.vitepress/theme/tokens.css', 'utf8');
const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const declared: ReadonlyMap<string, string> = new Map(
  [...TOKENS.matchAll(/^ {2}--([\w-]+): ([^;]+);/gm)].map(([, name = '', value = '']) => [name, value]),
);

/** The colour that a token has in a theme, as `#rrggbb`. */
function colourOf(name: string, theme: Theme): string {
  const value = declared.get(name) ?? '';
  const [, other] = /^var\(--([\w-]+)\)$/.exec(value) ?? [];
  if (other !== undefined) return colourOf(other, theme);
  const pair = /^light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)$/.exec(value);
  const colour = pair === null ? value : pair[theme === 'light' ? 1 : 2];
  if (colour === undefined || !/^#[0-9a-f]{6}$/.test(colour))
    throw new Error(`--${name} is not a colour: ${value}`);
  return colour;
}

/** Relative luminance of WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio of WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const SURFACES = ['canvas', 'surface', 'sunken', 'raised', 'hover', 'selected'];
const CODE = ['surface', 'sunken'];

/** What stands on what, and the ratio that it needs there: text 4.5, marks and edges of controls 3. */
const PAIRS: readonly (readonly [roles: readonly string[], on: readonly string[], least: number])[] = [
  [['ink', 'ink-2', 'ink-3', 'accent'], SURFACES, 4.5],
  [['ok', 'warn', 'bad', 'note'], SURFACES, 4.5],
  [['focus', 'line-control', 'ok-mark', 'warn-mark', 'bad-mark'], SURFACES, 3],
  [['accent'], ['accent-soft'], 4.5],
  [['ok'], ['ok-soft'], 4.5],
  [['warn'], ['warn-soft'], 4.5],
  [['bad'], ['bad-soft'], 4.5],
  [['note'], ['note-soft'], 4.5],
  [['ink', 'ink-2'], ['accent-soft', 'ok-soft', 'warn-soft', 'bad-soft', 'note-soft'], 4.5],
  [['on-primary'], ['primary', 'primary-hover'], 4.5],
  [['on-bad-fill'], ['bad-fill'], 4.5],
  [['syn-key', 'syn-string', 'syn-number', 'syn-atom', 'syn-mute'], CODE, 4.5],
  [[1, 2, 3, 4, 5, 6, 7, 8].map(slot => `series-${slot}`), ['surface'], 3],
];

describe('the design tokens', () => {
  it.each(THEMES)('have enough contrast wherever they stand, %s', theme => {
    const weak = PAIRS.flatMap(([roles, grounds, least]) =>
      roles.flatMap(role =>
        grounds
          .map(ground => ({
            role,
            ground,
            least,
            ratio: contrast(colourOf(role, theme), colourOf(ground, theme)),
          }))
          .filter(({ ratio }) => ratio < least),
      ),
    );
    expect(weak).toEqual([]);
  });

  it('are measured as WCAG says', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
    expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5);
  });

  it('are the only colours of the theme', () => {
    for (const file of ['theme.css', 'home.css'])
      expect(readFileSync(`docs/.vitepress/theme/${file}`, 'utf8')).not.toMatch(
        /#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/i,
      );
  });
});

it('the pages of dash, of the examples and of the documentation have the same tokens', () => {
  for (const folder of ['packages/dash/src/web/styles', 'examples/ai-chat/page', 'examples/orders/page'])
    expect(readFileSync(`${folder}/tokens.css`, 'utf8')).toBe(TOKENS);
  for (const file of [
    'ai-chat/page/base.css',
    'ai-chat/page/chat.css',
    'orders/page/base.css',
    'orders/page/orders.css',
  ])
    expect(readFileSync(`examples/${file}`, 'utf8')).not.toMatch(/#[0-9a-f]{3,8}\b|\brgba?\(/i);
});
