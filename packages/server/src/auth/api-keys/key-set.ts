import type { VerifiedToken } from '../tokens/claims.ts';
import { type ApiKeyRecord, bearerOf } from './record.ts';

/** The last use of a secret. */
interface SecretUse {
  /** Unix milliseconds; 0: never by this process. */
  lastUsedMs: number;
}

/** The digest of a secret, 64 hexadecimal digits, and its last use, Unix milliseconds. */
export type SecretUseOf = readonly [sha256: string, lastUsedMs: number];

/** One valid secret. */
export interface LiveSecret {
  readonly name: string;
  /** Position among the secrets of its key. */
  readonly slot: number;
  readonly digest: Buffer;
  /** Unix milliseconds; infinite: never. */
  readonly endsAtMs: number;
  readonly bearer: VerifiedToken;
  readonly use: SecretUse;
}

/** The secrets of some keys by digest. A set is immutable: a change makes another set. */
export class ApiKeySet {
  readonly records: readonly ApiKeyRecord[];
  readonly #secrets = new Map<string, LiveSecret>();

  /** @param before the previous set, whose last uses are kept */
  constructor(records: readonly ApiKeyRecord[], before?: ApiKeySet) {
    this.records = records;
    for (const record of records) {
      const bearer = bearerOf(record);
      const { name, secrets, expiresAtMs: keyEnd = Number.POSITIVE_INFINITY } = record;
      for (const [slot, { sha256, expiresAtMs = Number.POSITIVE_INFINITY }] of secrets.entries()) {
        if (this.#secrets.has(sha256)) continue;
        const digest = Buffer.from(sha256, 'hex');
        const use = before?.find(sha256)?.use ?? { lastUsedMs: 0 };
        const endsAtMs = Math.min(keyEnd, expiresAtMs);
        this.#secrets.set(sha256, { name, slot, digest, endsAtMs, bearer, use });
      }
    }
  }

  /** Number of secrets. */
  get size(): number {
    return this.#secrets.size;
  }

  /** The secret with this digest, 64 hexadecimal digits. */
  find(sha256: string): LiveSecret | undefined {
    return this.#secrets.get(sha256);
  }

  secrets(): Iterable<LiveSecret> {
    return this.#secrets.values();
  }

  /** The secrets that were used. */
  uses(): readonly SecretUseOf[] {
    return Array.from(this.#secrets, ([sha256, { use }]): SecretUseOf => [sha256, use.lastUsedMs]).filter(
      ([, lastUsedMs]) => lastUsedMs > 0,
    );
  }

  /** Notes uses on other threads, of which the latest counts. */
  raise(uses: readonly SecretUseOf[]): void {
    for (const [sha256, lastUsedMs] of uses) {
      const use = this.find(sha256)?.use;
      if (use !== undefined) use.lastUsedMs = Math.max(use.lastUsedMs, lastUsedMs);
    }
  }
}
