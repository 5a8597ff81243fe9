import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';

/** The only source of randomness in the engine; injectable, so that a failing run can be replayed. */
export interface Random {
  /** A number in [0, 1), not for secrets. */
  fraction(): number;
  /** Cryptographically strong bytes. */
  bytes(length: number): Uint8Array;
  /** A UUID v4. */
  uuid(): string;
}

/** Bytes drawn at a time, and the most of them that are taken at once: drawing costs far more than the bytes. */
const POOL_BYTES = 4096;
const MAX_POOLED_BYTES = 64;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** Bytes of the pool, which forgets them. */
function pooledBytes(length: number): Uint8Array {
  if (length > MAX_POOLED_BYTES) return randomBytes(length);
  if (used + length > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.slice(used, used + length);
  pool.fill(0, used, used + length);
  used += length;
  return bytes;
}

/** Randomness from the operating system. */
export const systemRandom: Random = {
  fraction: Math.random,
  bytes: pooledBytes,
  uuid: () => randomUUID(),
};
