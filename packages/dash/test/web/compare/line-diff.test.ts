import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineDiff, nearbyLines } from '#src/web/compare/line-diff.ts';

it('a difference has both texts in it, and no line more than needed', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map(lines => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after);
      const side = (left: string) =>
        lines
          .filter(({ kind }) => kind !== left)
          .map(line => line.text)
          .join('\n');
      expect(side('added')).toBe(before);
      expect(side('removed')).toBe(after);
      if (before === after) expect(lines.every(({ kind }) => kind === 'same')).toBe(true);
    }),
  );
  expect(lineDiff('a\nb\nc', 'a\nx\nc')).toEqual([
    { kind: 'same', text: 'a' },
    { kind: 'removed', text: 'b' },
    { kind: 'added', text: 'x' },
    { kind: 'same', text: 'c' },
  ]);
});

it('two long texts without a common line are shown as a whole', () => {
  const lines = (letter: string) =>
    Array.from({ length: 3_000 }, (_, index) => `${letter}${index}`).join('\n');
  expect(lineDiff(lines('a'), lines('b'))).toHaveLength(6_000);
});

it('of equal lines only those nearby are shown', () => {
  const before = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
  const shown = nearbyLines(lineDiff(before, before.replace('line 10', 'other')), 2);
  expect(shown.map(line => ('hidden' in line ? line.hidden : line.text))).toEqual([
    8,
    'line 8',
    'line 9',
    'line 10',
    'other',
    'line 11',
    'line 12',
    7,
  ]);
});
