import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest, suggest } from '#src/suggest/suggest.ts';

/** Edits by the definition: the last characters are kept, replaced or swapped, or one of them is left out. */
function distance(left: string, right: string): number {
  if (left === '' || right === '') return left.length + right.length;
  const [shorter, other] = [left.slice(0, -1), right.slice(0, -1)];
  const replaced = distance(shorter, other) + (left.at(-1) === right.at(-1) ? 0 : 1);
  const best = Math.min(replaced, distance(shorter, right) + 1, distance(left, other) + 1);
  const swapped = left.length > 1 && left.at(-1) === right.at(-2) && left.at(-2) === right.at(-1);
  return swapped ? Math.min(best, distance(left.slice(0, -2), right.slice(0, -2)) + 1) : best;
}

const word = fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', 'c') });

describe('nearest', () => {
  it('answers the nearest names first, then those that sort first, fifty at most', () => {
    const sorted = ['sales', 'scale', 'sale-2', 'stock'];
    expect(nearest('sale', ['stock', 'sales', 'scale', 'sale-2'])).toEqual(sorted);
    const many = Array.from({ length: 80 }, (_, index) => `name-${index}`);
    expect(nearest('name-7', many)).toHaveLength(50);
  });

  it('answers in the order of the distances', () => {
    fc.assert(
      fc.property(word, fc.uniqueArray(word, { maxLength: 6 }), (name, candidates) => {
        const distances = nearest(name, candidates).map(candidate => distance(name, candidate));
        expect(distances).toEqual(distances.toSorted((a, b) => a - b));
      }),
    );
  });

  it('stops comparing at a bound, however many names there are', () => {
    let read = 0;
    function* names(): Iterable<string> {
      for (; read < 400_000; read++) yield `${read}`.padEnd(128, 'x');
    }
    expect(nearest('y'.repeat(128), names())).toHaveLength(50);
    expect(read).toBeLessThan(1000);
  });
});

describe('suggest', () => {
  it.each([
    ['ttl', ['name', 'ttls'], 'ttls'],
    ['naem', ['nabe', 'name'], 'name'],
    ['TTLSECONDS', ['ttlSeconds', 'name'], 'ttlSeconds'],
    ['sinks', ['rates', 'server'], undefined],
    ['x', [], undefined],
    ['a', ['b', 'c'], 'b'],
    ['ab', ['cd'], undefined],
  ])('for %s of %j is %s', (name, candidates, suggestion) => {
    expect(suggest(name, candidates)).toBe(suggestion);
  });

  it('is a nearest candidate, within a third of the characters', () => {
    fc.assert(
      fc.property(word, fc.uniqueArray(word, { maxLength: 6 }), (name, candidates) => {
        const distances = candidates.map(candidate => distance(name, candidate));
        const allowed = Math.max(1, Math.floor(name.length / 3));
        const best = Math.min(...distances);
        expect(suggest(name, candidates)).toBe(
          best <= allowed ? candidates[distances.indexOf(best)] : undefined,
        );
      }),
    );
  });

  it('compares the start of long words', () => {
    const long = 'x'.repeat(100_000);
    expect(suggest(long, [`${long}y`])).toBe(`${long}y`);
  });
});
