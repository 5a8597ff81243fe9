import type { KeySet } from '../ring.ts';

/** A ring as a store holds it. `version` changes with every write, by whomever. */
export interface StoredKeySet {
  readonly ring: KeySet;
  readonly version: string;
}

/** Another writer was faster: load again and repeat the change. */
export class KeyringConflict extends Error {
  override readonly name = 'KeyringConflict';
}

/** Where the ring outlives the process. */
export interface KeyringStore {
  /** Label of logs and metrics. */
  readonly backend: 'file' | 'redis' | 'external';
  /** It may lose what it holds while nodes live on; they then write their ring back. Default: it does not. */
  readonly losesData?: boolean;
  /** Where it is, for the operator; never a secret. */
  readonly location: string;
  /** The stored ring, `undefined` when nothing was stored yet. @throws KeyringFormatError, or an I/O error. */
  load(): Promise<StoredKeySet | undefined>;
  /** The current version without reading the ring; `undefined` when nothing is stored. */
  probe(): Promise<string | undefined>;
  /**
   * Replaces the ring if it is still at `expected` (`undefined`: nothing stored) and answers the new version.
   * @throws KeyringConflict
   */
  save(ring: KeySet, expected: string | undefined): Promise<string>;
}
