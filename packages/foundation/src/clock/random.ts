/** Read once, because Node.js resolves the global at each use. */
const { crypto } = globalThis;

/** The only source of randomness; injectable, so that a failing run can be replayed. */
export interface Random {
  /** A number in [0, 1), not for secrets. */
  fraction(): number;
  /** Cryptographically strong bytes. */
  bytes(length: number): Uint8Array;
  /** A UUID v4. */
  uuid(): string;
}

/** Bytes that are generated at a time, because a call costs far more than the bytes. */
const POOL_BYTES = 4096;
/** Enough for ids. Longer results, such as keys, never wait in a pool. */
const MAX_POOLED_BYTES = 16;

/** Limit of one `getRandomValues` call. */
const MAX_FILLED_BYTES = 65_536;

function filled(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += MAX_FILLED_BYTES) {
    crypto.getRandomValues(bytes.subarray(at, at + MAX_FILLED_BYTES));
  }
  return bytes;
}

/** Takes bytes from a pool, and overwrites them there. */
function pooled(): Random['bytes'] {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return length => {
    if (length > MAX_POOLED_BYTES) return filled(length);
    if (used + length > POOL_BYTES) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const start = used;
    used += length;
    const bytes = pool.slice(start, used);
    pool.fill(0, start, used);
    return bytes;
  };
}

/** Randomness from the operating system. */
export const systemRandom: Random = {
  fraction: Math.random,
  bytes: pooled(),
  uuid: () => crypto.randomUUID(),
};
