import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstInexactNumber } from '#src/document/canonical.ts';
import { textNestsDeeper } from '#src/document/nesting.ts';

describe('the first number that a double cannot hold', () => {
  it.each([
    ['{"a":[1,2.5,-0,0.0,1e2,1.0,-12.50,100000000000000000000]}', undefined],
    ['{"9007199254740993":"9007199254740993 \\"1e400","b":9007199254740993}', '9007199254740993'],
    ['[1e400]', '1e400'],
    ['[-1E-400]', '-1E-400'],
    ['[0e400,0.000e-999999999999]', undefined],
    ['[0.1,0.30000000000000004]', undefined],
    ['[0.30000000000000000001]', '0.30000000000000000001'],
    ['"\\\\",1e999', '1e999'],
  ])('of %s is %s', (text, found) => expect(firstInexactNumber(text)).toBe(found));

  it('has no unpaired surrogate in what JavaScript wrote', () => {
    fc.assert(fc.property(fc.jsonValue(), value => firstInexactNumber(JSON.stringify(value)) === undefined));
  });

  it('takes no time without end to find, however long the zeros', () => {
    const zeros = '0'.repeat(2_000_000);
    expect(firstInexactNumber(`[1.${zeros}1]`)).toBe(`1.${zeros}1`);
    expect(firstInexactNumber(`[1.${zeros}]`)).toBeUndefined();
    expect(firstInexactNumber(`[${'"\\"'.repeat(500_000)}`)).toBeUndefined();
  });
});

it('a text nests as its value does', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Object.values(value).reduce((most: number, inner) => Math.max(most, depthOf(inner)), 0)
      : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), value => {
      const text = JSON.stringify(value, null, 1);
      const depth = depthOf(value);
      return !textNestsDeeper(text, depth) && (depth === 0 || textNestsDeeper(text, depth - 1));
    }),
  );
  expect(textNestsDeeper('"[[[["', 0)).toBe(false);
  expect(textNestsDeeper('["\\"[[",[1]]', 2)).toBe(false);
  expect(textNestsDeeper('['.repeat(100), 99)).toBe(true);
});
