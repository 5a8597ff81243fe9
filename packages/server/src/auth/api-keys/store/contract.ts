import type { ApiKeyRecord } from '../record.ts';

/** A key as a store holds it. */
export interface StoredApiKey extends ApiKeyRecord {
  /** Different after every write. */
  readonly revision: string;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
}

/**
 * The store of keys that were created while the service ran. It holds only digests, and other processes write to it too.
 * Source: the application developer's side, section 1.
 */
export interface ApiKeyStore {
  /** Location of the store for the operator, without secrets. */
  readonly location: string;
  /** All keys, in any order. Rejects with ApiKeyFormatError for invalid content, or with an I/O error. */
  load(): Promise<readonly StoredApiKey[]>;
  /**
   * Replaces the key of that name by `next`, or removes it, in one atomic step, if it is still at revision `seen`
   * (`undefined`: no such key).
   * @returns false, without a change, when the revision differs
   */
  replace(name: string, seen: string | undefined, next: StoredApiKey | undefined): Promise<boolean>;
}
