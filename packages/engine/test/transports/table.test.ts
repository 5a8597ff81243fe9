import { describe, expect, it } from 'vitest';
import type { Framing } from '#src/transports/contract.ts';
import { TRANSPORTS } from '#src/transports/table.ts';

const ENCODINGS = ['json', 'protobuf'] as const;

describe('the table of transports', () => {
  it('has each name and each path once, and clients make the path from the name', () => {
    for (const { name, path } of TRANSPORTS) expect(path).toBe(`/connection/${name}`);
    expect(new Set(TRANSPORTS.map(({ path }) => path)).size).toBe(TRANSPORTS.length);
  });

  it('answers one constant framing for the same arguments, and no two framings share a key', () => {
    const byKey = new Map<number, Framing>();
    for (const { framing, name } of TRANSPORTS) {
      for (const encoding of ENCODINGS) {
        for (const packed of [false, true]) {
          const answer = framing(encoding, packed);
          expect(framing(encoding, packed)).toBe(answer);
          expect(byKey.get(answer.key) ?? answer, `key ${answer.key} of ${name}`).toBe(answer);
          byKey.set(answer.key, answer);
        }
      }
    }
    // One framing of connections inside the process has key 4.
    expect(byKey.has(4)).toBe(false);
  });
});
