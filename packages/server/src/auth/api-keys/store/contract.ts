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
  /** False: keys cannot be created here. Default: true. */
  readonly canChange?: boolean;
  /** Keys that another thread of the process declares, as of the last {@link load}. Absent: none. */
  readonly declared?: readonly ApiKeyRecord[];
  /** False: another thread of the process changed the keys, and what was loaded must not be used. Absent: always true. */
  isCurrent?(stored: readonly StoredApiKey[]): boolean;
  /**
   * Replaces the key of that name by `next`, or removes it, in one atomic step, if it is still at revision `seen`
   * (`undefined`: no such key).
   * @returns false, without a change, when the revision differs
   */
  replace(name: string, seen: string | undefined, next: StoredApiKey | undefined): Promise<boolean>;
}
