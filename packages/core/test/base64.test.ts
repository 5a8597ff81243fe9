import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase64, encodeBase64 } from '#src/base64.ts';

describe('base64', () => {
  test('agrees with the platform, in both alphabets, padded or not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        const standard = Buffer.from(bytes).toString('base64');
        expect(encodeBase64(bytes)).toBe(standard);
        const spellings = [standard, standard.replace(/=+$/, ''), Buffer.from(bytes).toString('base64url')];
        for (const text of spellings) expect(decodeBase64(text)).toEqual(new Uint8Array(bytes));
      }),
    );
  });

  test.each([
    'a',
    'a===',
    'YQ=',
    'Y',
    'YR==',
    'hello world',
    '{"a":1}',
    'YQ==YQ==',
    'é',
    'YWJj\nYWJ',
    ' YWJ',
    'YWJjZGE \t',
  ])('%j is not canonical base64', text => {
    expect(decodeBase64(text)).toBeUndefined();
  });
});
