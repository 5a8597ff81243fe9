import { describe, expect, it } from 'vitest';
import { BodyBlocks } from '../../../src/transports/http/body-blocks.ts';

const MIB = 1 << 20;
const BLOCK_BYTES = 65_536;

/** A body of 1 MiB in pieces of these lengths, again and again, with the memory that it costs. */
function fill(lengths: readonly number[], announced: number, keepsPieces: boolean) {
  const sent = Buffer.from(Uint8Array.from({ length: MIB }, (_, index) => index % 251));
  const blocks = new BodyBlocks(announced, keepsPieces);
  let capacity = 0;
  let most = 0;
  for (let at = 0, turn = 0; at < MIB; turn++) {
    const piece = Buffer.from(new Uint8Array(sent.subarray(at, at + (lengths[turn % lengths.length] ?? 0))));
    at += piece.length;
    capacity += blocks.growth(piece.length);
    blocks.append(piece);
    most = Math.max(most, capacity - at);
  }
  return { joined: blocks.join(), sent, capacity, most };
}

describe.each([
  [[BLOCK_BYTES]],
  [[BLOCK_BYTES, 1]],
  [[1, BLOCK_BYTES]],
  [[4000, BLOCK_BYTES]],
  [[8191, 8192]],
  [[100]],
  [[BLOCK_BYTES, 20_000, 3, 8192, 7000]],
])('a body in pieces of %j', lengths => {
  it.each([
    [true, MIB],
    [true, 0],
    [false, MIB],
    [false, 0],
  ])(
    'costs at most one block more than it holds (keeps pieces: %s, announced: %s)',
    (keepsPieces, announced) => {
      const { joined, sent, capacity, most } = fill(lengths, announced, keepsPieces);
      expect(joined.equals(sent)).toBe(true);
      expect(most).toBeLessThanOrEqual(BLOCK_BYTES);
      if (announced === MIB) expect(capacity).toBe(MIB);
    },
  );
});
