import { randomBytes, randomUUID } from 'node:crypto';

/** The only source of randomness in the engine; injectable, so that a failing run can be replayed. */
export interface Random {
  /** A number in [0, 1), not for secrets. */
  fraction(): number;
  /** Cryptographically strong bytes. */
  bytes(length: number): Uint8Array;
  /** A UUID v4. */
  uuid(): string;
}

/** Randomness from the operating system. */
export const systemRandom: Random = {
  fraction: Math.random,
  bytes: length => randomBytes(length),
  uuid: () => randomUUID(),
};
