import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeUtf8 } from '#src/utf8.ts';

test('the UTF-8 of a text is that of the platform, whatever its length and characters', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 1200 }),
    fc.string({ unit: 'binary', maxLength: 1200 }),
    fc.constantFrom('', '\ud800', 'a\udfff', 'é'.repeat(512), 'a'.repeat(512), 'a'.repeat(513)),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), texts => {
      const encoded = texts.map(encodeUtf8);
      expect(encoded).toEqual(texts.map(item => new TextEncoder().encode(item)));
    }),
  );
});
