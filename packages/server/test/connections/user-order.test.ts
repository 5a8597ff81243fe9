import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeOfUser } from '#src/connections/user-order.ts';

const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));

describe('the place of a user', () => {
  it.each(['', 'ann', 'ann@example.com', 'ü'.repeat(63), '\u0001'.repeat(21), `"${'a'.repeat(120)}`])(
    'is its name, %j',
    user => expect(placeOfUser(user)).toBe(user),
  );

  it('takes at most 128 bytes of JSON, and is another one for another user', () => {
    const user = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 1200 }),
      fc.string({ unit: fc.constantFrom('\u0001', '"', '\\', 'a', 'ü', '👋', '\ud83d'), maxLength: 300 }),
    );
    fc.assert(
      fc.property(user, user, (one, other) => {
        expect(bytesOf(placeOfUser(one))).toBeLessThanOrEqual(128);
        expect(placeOfUser(one) === placeOfUser(other)).toBe(one === other);
      }),
    );
  });

  it('keeps long names in the order of their beginnings', () => {
    const [first, second] = ['a', 'b'].map(letter => placeOfUser(letter.padEnd(1000, 'x')));
    expect(String(first) < String(second)).toBe(true);
  });
});
