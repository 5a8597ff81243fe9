import type { ApiKeyRecord } from '../record.ts';

/** A key as a store holds it. */
export interface StoredApiKey extends ApiKeyRecord {
  /** Different after every write. */
  readonly revision: string;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
}

/**
 * Where keys are kept that were created while the service ran: digests alone. Other processes write to it too. Source:
 * the application developer's side, section 1.
 */
export interface ApiKeyStore {
  /** Where it is, for the operator; never a secret. */
  readonly location: string;
  /** All keys, by no order. @throws ApiKeyFormatError for content that cannot be read, or an I/O error; as rejection. */
  load(): Promise<readonly StoredApiKey[]>;
  /**
   * In one atomic step: when the key of that name is still at the revision that was seen (`undefined`: no such key),
   * `next` takes its place, or it is removed.
   * @returns false when another writer was faster; nothing was changed then.
   */
  replace(name: string, seen: string | undefined, next: StoredApiKey | undefined): Promise<boolean>;
}
