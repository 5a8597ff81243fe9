import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearest } from '#src/document/nearest.ts';

it('the nearest names come first, then those that sort first, fifty at most', () => {
  expect(nearest('sale', ['stock', 'sales', 'scale', 'sale-2'])).toEqual([
    'sales',
    'scale',
    'sale-2',
    'stock',
  ]);
  const many = Array.from({ length: 80 }, (_, index) => `name-${index}`);
  expect(nearest('name-7', many)).toHaveLength(50);
});

it('names without number take no time without end', () => {
  const many = Array.from({ length: 400_000 }, (_, index) => `${index}`.padEnd(128, 'x'));
  expect(nearest('y'.repeat(128), many)).toHaveLength(50);
});

/** Edits by the definition: the last characters are kept or replaced, or one of them is left out. */
function distance(left: string, right: string): number {
  if (left === '' || right === '') return left.length + right.length;
  const [shorter, other] = [left.slice(0, -1), right.slice(0, -1)];
  const replaced = distance(shorter, other) + (left.at(-1) === right.at(-1) ? 0 : 1);
  return Math.min(replaced, distance(shorter, right) + 1, distance(left, other) + 1);
}

it('the order is that of the distances', () => {
  const name = fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(name, fc.uniqueArray(name, { maxLength: 6 }), (wanted, names) => {
      const distances = nearest(wanted, names).map(found => distance(wanted, found));
      expect(distances).toEqual(distances.toSorted((a, b) => a - b));
    }),
  );
});
