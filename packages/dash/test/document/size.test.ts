import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalBytes, canonicalBytesWithin } from '#src/document/canonical.ts';
import type { Json } from '#src/document/json.ts';
import { readableText } from '#src/document/readable.ts';

const SEED = Number(process.env['DASH_SEED'] ?? 14);

it('the canonical text of a value is measured to the byte before it is built', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), drawn => {
      const value = drawn as Json;
      const bytes = canonicalBytes(value);
      expect(canonicalBytesWithin(bytes.byteLength, value)).toEqual(bytes);
      expect(canonicalBytesWithin(bytes.byteLength - 1, value)).toBeUndefined();
    }),
    { seed: SEED, numRuns: 1_000 },
  );
});

it('a text too long for the engine is refused or left without indentation, however small the value', () => {
  let value: Json[] = Array<Json>(1_300_000).fill(0);
  for (let level = 1; level < 240; level++) value = [value];
  expect(readableText({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}\n');
  expect(readableText(value)).toHaveLength(2 * 1_300_000 - 1 + 2 * 240 + 1);
  expect(canonicalBytesWithin(8 * 1024 * 1024, value)).toBeUndefined();
});
