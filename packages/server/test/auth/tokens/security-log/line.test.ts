import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SecurityEntry } from '#src/auth/tokens/security-log/contract.ts';
import { formatLine, parseLine, UnreadableLine } from '#src/auth/tokens/security-log/line.ts';

const entry: fc.Arbitrary<SecurityEntry> = fc.oneof(
  fc.record({ kind: fc.constant('token' as const), id: fc.string(), until: fc.nat(), reason: fc.string() }),
  fc.record({ kind: fc.constant('user' as const), id: fc.string(), until: fc.nat(), cutoff: fc.nat() }),
  fc.record({
    kind: fc.constantFrom('redeemed' as const, 'family' as const),
    id: fc.string(),
    until: fc.nat(),
  }),
);

test('an entry is one line of JSON, and read again', () => {
  fc.assert(
    fc.property(entry, given => {
      const line = formatLine(given);
      expect(line).not.toContain('\n');
      expect(JSON.parse(line)).toMatchObject(given);
      expect(parseLine(line)).toEqual(given);
    }),
  );
});

test('a line in which anything was changed is refused, and not quoted', () => {
  fc.assert(
    fc.property(entry, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, place, change) => {
      const bytes = Buffer.from(formatLine(given));
      const at = place % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ change;
      expect(() => parseLine(bytes.toString())).toThrow(UnreadableLine);
      expect(() => parseLine(bytes.toString())).toThrow(/^$/);
    }),
  );
});

test.each(['', '{}', 'null', '{"kind":"token","id":"a","until":1,"reason":""}'])('so is %j', line => {
  expect(() => parseLine(line)).toThrow(UnreadableLine);
});
