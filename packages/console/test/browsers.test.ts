// Which browsers the console works in: the two newest Chromium, Firefox and Safari, written to Baseline 2024 (console 2).
// What its built files use is looked up in the data of the web platform; Firefox itself runs in firefox.slow.test.ts.
import { readFileSync } from 'node:fs';
import { FOLDER } from '@msg/console';
import { describe, expect, it } from 'vitest';
import { browsers, features } from 'web-features';

/** A feature is of Baseline 2024 when the browsers had it by then. */
const FLOOR = '2024-12-31';
const BROWSERS = ['chrome', 'firefox', 'safari'] as const;

/** What the data says of one entry. */
interface Entry {
  readonly baseline_low_date?: string;
  readonly support: Readonly<Record<string, string | undefined>>;
}

interface Support {
  /** When the last of the browsers had it; absent: one does not. */
  readonly since: string | undefined;
  /** The first version of each browser. */
  readonly versions: Readonly<Record<string, string | undefined>>;
}

const SUPPORT = new Map<string, Support>(
  Object.values(features).flatMap(feature =>
    feature.kind !== 'feature'
      ? []
      : Object.entries((feature.status.by_compat_key ?? {}) as Readonly<Record<string, Entry>>).map(
          ([key, { baseline_low_date: since, support: versions }]) =>
            [key, { since: since?.replace('≤', ''), versions }] as const,
        ),
  ),
);
const KEYS = [...SUPPORT.keys()];
const isBeyond = (key: string): boolean => (SUPPORT.get(key)?.since ?? '9999') > FLOOR;

const { files } = JSON.parse(readFileSync(new URL('list.json', FOLDER), 'utf8')) as {
  readonly files: readonly { readonly path: string }[];
};
const textOf = (ending: string): string =>
  files
    .filter(({ path }) => path.endsWith(ending))
    .map(({ path }) => readFileSync(new URL(path, FOLDER), 'utf8'))
    .join('\n');

/** What of style sheets has an entry: properties and their words, functions, rules, conditions and selectors. */
function usedInStyles(css: string): readonly string[] {
  const found: string[] = [];
  for (const [, property = '', value = ''] of css.matchAll(/[{;]\s*([a-z][a-z-]*):([^;{}]*)/g)) {
    found.push(`css.properties.${property}`);
    for (const [word] of value.matchAll(/[a-z][a-z-]*/g)) found.push(`css.properties.${property}.${word}`);
    for (const [, name = ''] of value.matchAll(/([a-z][a-z-]*)\(/g))
      found.push(...KEYS.filter(key => key.startsWith('css.types.') && key.endsWith(`.${name}`)));
  }
  for (const [, rule = ''] of css.matchAll(/@([a-z-]+)/g)) found.push(`css.at-rules.${rule}`);
  for (const [, condition = ''] of css.matchAll(/@media[^{]*?\(([a-z-]+)/g))
    found.push(`css.at-rules.media.${condition}`);
  for (const [, selector = ''] of css.matchAll(/([^{};]+)\{/g))
    for (const [, name = ''] of selector.matchAll(/::?([a-z-]+)/g))
      if (!selector.startsWith('@')) found.push(`css.selectors.${name}`);
  return [...new Set(found)].filter(key => SUPPORT.has(key)).toSorted();
}

const nameOf = (key: string): string => key.split('.').at(-1) ?? '';
/** Names of methods that something older has, too: an array has `map`, an iterator has it since 2025. */
const OLD_NAMES = new Set(KEYS.filter(key => key.startsWith('javascript.') && !isBeyond(key)).map(nameOf));

/** Globals and methods of the language that are younger than the floor, by names that nothing older has. */
function youngInScripts(js: string): readonly string[] {
  const found = KEYS.filter(isBeyond).filter(key => {
    const name = nameOf(key);
    if (OLD_NAMES.has(name)) return false;
    if (/^(?:api|javascript\.builtins)\.\w+$/.test(key))
      return new RegExp(`(?:globalThis\\.|window\\.|new )${name}\\b`).test(js);
    return /^javascript\.builtins\.\w+\.\w+$/.test(key) && new RegExp(`\\.${name}\\(`).test(js);
  });
  return found.toSorted();
}

/** Used beside something that every browser has, or without which a page is as good: each with the reason. */
const BESIDE: Readonly<Record<string, string>> = {
  'css.properties.cursor.not-allowed': 'phones have no cursor',
  'css.properties.cursor.pointer': 'phones have no cursor',
  'css.properties.forced-color-adjust': 'Safari has no forced colours',
  'css.properties.forced-color-adjust.none': 'Safari has no forced colours',
  'css.properties.resize': 'phones do not resize a field',
  'css.properties.scrollbar-color': 'a bar in the colours of its system is as good',
  'css.properties.text-size-adjust': 'the prefixed name stands beside it',
  'css.properties.user-select': 'a text that is shown once has a button that copies it',
  'css.properties.user-select.all': 'a text that is shown once has a button that copies it',
};
const BESIDE_IN_SCRIPTS: Readonly<Record<string, string>> = {
  'api.WebTransport': 'the stock client takes it where it is asked to, which the console does not',
  'javascript.builtins.Uint8Array.setFromBase64': 'only where it is there: see the base64 of core',
};

describe('what the built console uses', () => {
  const styles = usedInStyles(textOf('.css'));

  it('in its styles is of Baseline 2024', () => {
    expect(styles.length).toBeGreaterThan(150);
    expect(styles.filter(isBeyond)).toEqual(Object.keys(BESIDE));
  });

  it('in its scripts is of Baseline 2024', () => {
    expect(youngInScripts(textOf('.js'))).toEqual(Object.keys(BESIDE_IN_SCRIPTS));
    // The look finds what is there.
    expect(youngInScripts('globalThis.WebTransport')).toEqual(['api.WebTransport']);
  });

  it.each(BROWSERS)('is in the second newest %s', browser => {
    const [second] = browsers[browser].releases.slice(-2);
    const missing = styles.filter(key => {
      if (Object.hasOwn(BESIDE, key)) return false;
      const version = SUPPORT.get(key)?.versions[browser];
      return version === undefined || Number(version.replace('≤', '')) > Number(second?.version);
    });
    expect(missing).toEqual([]);
  });
});
