import type { KeySet } from '../key-set.ts';

/** A stored key set. Every write, by any process, changes `version`. */
export interface StoredKeySet {
  readonly keySet: KeySet;
  readonly version: string;
}

/** Another process wrote first: load again and repeat the change. */
export class KeyringConflict extends Error {
  override readonly name = 'KeyringConflict';
}

/** A store in which the keyring outlives the process. */
export interface KeyringStore {
  /** Label of logs and metrics. */
  readonly backend: 'file' | 'redis' | 'external' | 'ephemeral';
  /** True for a store that may lose its data while nodes run; they then write their keyring back. Default: false. */
  readonly losesData?: boolean;
  /** Location of the store for the operator, without secrets. */
  readonly location: string;
  /** The stored keyring; `undefined` before the first write. @throws KeyringFormatError, or an I/O error. */
  load(): Promise<StoredKeySet | undefined>;
  /** The current version, without reading the keyring; `undefined` before the first write. */
  probe(): Promise<string | undefined>;
  /**
   * Replaces the keyring if it is still at version `expected` (`undefined`: not stored), and returns the new version.
   * @throws KeyringConflict
   */
  save(keySet: KeySet, expected: string | undefined): Promise<string>;
  /**
   * False: another thread of the process changed the keyring, and what was loaded under this version must not be used.
   * Absent: always true.
   */
  isCurrent?(version: string | undefined): boolean;
}
