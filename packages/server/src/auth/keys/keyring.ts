import { type KeySummary, MsgError } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { Clock, Random } from '@msg/foundation/clock';
import { stateDirectoryError } from '../../config/directory.ts';
import { KeyringFormatError } from './document.ts';
import { generateKey, KeySet, type SigningKey } from './key-set.ts';
import { compareKeys, keySummary } from './key-summary.ts';
import { type KeySetChange, LiveKeySet } from './live-key-set.ts';
import type { KeyringStore } from './store/contract.ts';

/** Remedy for a stored keyring that cannot be used at the start. */
const REMEDY =
  'restore it from a backup, or remove it: the next start then makes a new key, and every token issued so far ends';

export interface KeyringOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: the keyring ends with the process. */
  readonly store?: KeyringStore;
  /** A key set from outside; it is used as it is, without a store. */
  readonly keySet?: KeySet;
}

/** Kinds of changes to the keyring. */
export type KeyRotation = 'generated' | 'promoted' | 'retired';

function problemOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'unknown failure';
}

/**
 * The live keyring: holds the key that signs and those that verify, runs changes one after the other, and writes each
 * change to its store before it takes effect. Source: messaging details 7.1 and 7.2.
 */
export class Keyring {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #store: KeyringStore | undefined;
  readonly #isExternal: boolean;
  readonly #live: LiveKeySet;
  readonly #onRotation = new Set<(action: KeyRotation) => void>();
  /** Ids that this process retired, so that retiring them again succeeds. */
  readonly #retired = new Set<string>();
  /** Keys that this process made. */
  readonly #made = new Set<string>();
  /** Retired keys that no listing has returned yet. */
  #unlisted: KeySummary[] = [];

  private constructor(options: KeyringOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#store = options.store;
    this.#isExternal = options.keySet !== undefined;
    this.#live = new LiveKeySet(options.keySet ?? new KeySet([]), options.store);
  }

  /**
   * Loads the keyring from its store; a missing keyring is created with one active key and stored.
   * @throws KeyringFormatError for a stored keyring that is invalid or has no active key; MsgError
   * MSG_INVALID_ARGUMENT when the state directory cannot be used, MSG_INTERNAL when the store fails otherwise
   */
  static async open(options: KeyringOptions): Promise<Keyring> {
    const keyring = new Keyring(options);
    if (options.keySet === undefined || options.keySet.active === undefined) {
      await keyring.#bootstrap().catch((cause: unknown) => {
        if (cause instanceof KeyringFormatError)
          throw new KeyringFormatError(`${cause.problem}; ${REMEDY}`, keyring.location);
        if (cause instanceof MsgError) throw cause;
        throw stateDirectoryError(`the keyring cannot be used: ${problemOf(cause)}`, cause);
      });
    }
    return keyring;
  }

  async #bootstrap(): Promise<void> {
    const first = await generateKey(this.#random, this.#clock.now());
    await this.#live.apply(keySet => (keySet.active === undefined ? keySet.with(first) : keySet));
    this.#made.add(first.id);
  }

  /** The current key set. It is replaced as a whole, so one read is consistent. */
  get keySet(): KeySet {
    return this.#live.current;
  }

  /** The key that signs. */
  get active(): SigningKey {
    const active = this.keySet.active;
    if (active === undefined) throw new MsgError('MSG_INTERNAL', 'the keyring has no active key');
    return active;
  }

  /** `external` for a key set from outside, `ephemeral` for one that ends with the process. */
  get backend(): KeyringStore['backend'] {
    return this.#store?.backend ?? (this.#isExternal ? 'external' : 'ephemeral');
  }

  /** Location of the store; empty without one. */
  get location(): string {
    return this.#store?.location ?? '';
  }

  /** Number of key sets that this process has used. */
  get generation(): number {
    return this.#live.generation;
  }

  /** Whether this process made the key. */
  madeHere(id: string): boolean {
    return this.#made.has(id);
  }

  get hasStore(): boolean {
    return this.#store !== undefined;
  }

  /** Calls back after every change of the keyring. Returns a function that cancels it. */
  onChange(listener: () => void): () => void {
    return this.#live.onChange(listener);
  }

  /** The key set in use, for the threads of the process. */
  get live(): LiveKeySet {
    return this.#live;
  }

  /** Waits for the callback before a change by this process ends the signing of a key. */
  beforeDemotion(listener: (kid: string) => Promise<void>): void {
    this.#live.beforeDemotion(listener);
  }

  /** Calls back after every change by this process, with its kind. */
  onRotation(listener: (action: KeyRotation) => void): void {
    this.#onRotation.add(listener);
  }

  #rotated(action: KeyRotation): void {
    for (const listener of this.#onRotation) listener(action);
  }

  /**
   * Makes a requested change.
   * @throws MsgError MSG_INTERNAL, without a change, when the stored keyring cannot be read or written
   */
  async #change(change: KeySetChange): Promise<void> {
    try {
      await this.#live.apply(change);
    } catch (cause) {
      if (cause instanceof MsgError && !(cause instanceof KeyringFormatError)) throw cause;
      const problem = cause instanceof KeyringFormatError ? cause.message : `keyring: ${problemOf(cause)}`;
      throw new MsgError('MSG_INTERNAL', `${problem}; nothing was changed, the keys in use stay in use`, {
        cause,
      });
    }
  }

  /** Adds a verify-only key. @throws MsgError MSG_INVALID_ARGUMENT for an unsupported algorithm. */
  async generate(alg = 'HS256'): Promise<KeySummary> {
    const key = await generateKey(this.#random, this.#clock.now(), alg);
    this.#made.add(key.id);
    await this.#change(keySet => keySet.with(key));
    this.#rotated('generated');
    return keySummary(key, this.keySet.resolve(key.id)?.role ?? 'verify-only');
  }

  /** Activates a key. @throws MsgError MSG_INVALID_ARGUMENT for an unknown or retired id. */
  async promote(id: string): Promise<void> {
    let changed = false;
    await this.#change(keySet => {
      changed = keySet.active?.id !== id;
      return changed ? keySet.promoted(id) : keySet;
    });
    if (changed) this.#rotated('promoted');
  }

  /**
   * Retires a key, also the active one: tokens that it signed no longer verify. Retiring it again succeeds. Retiring the
   * last key generates a new one of its algorithm.
   * @throws MsgError MSG_INVALID_ARGUMENT for an unknown id.
   */
  async retire(id: string): Promise<void> {
    const alg = this.keySet.resolve(id)?.material.alg;
    const replacement = await generateKey(this.#random, this.#clock.now(), alg);
    this.#made.add(replacement.id);
    let gone: SigningKey | undefined;
    await this.#change(keySet => {
      gone = keySet.resolve(id);
      if (gone !== undefined) return keySet.without(id, replacement);
      if (this.#retired.has(id)) return keySet;
      throw new MsgError('MSG_INVALID_ARGUMENT', `key ${id} is not known`);
    });
    if (gone === undefined) return;
    this.#rotated('retired');
    this.#retired.add(id);
    this.#unlisted.push(keySummary(gone, 'retired', formatTimestamp(this.#clock.now())));
  }

  /** Live keys, and once each key retired since the last listing; sorted by creation time, then id. */
  list(): readonly KeySummary[] {
    const live = this.keySet.keys.map(key => keySummary(key, key.role));
    const listing = [...live, ...this.#unlisted];
    this.#unlisted = [];
    return listing.sort(compareKeys);
  }

  /**
   * Reads the store again. When that fails, the current keyring stays.
   * @throws MsgError MSG_INVALID_ARGUMENT without a store, MSG_INTERNAL when it cannot be read.
   */
  async reload(): Promise<void> {
    const store = this.#store;
    if (store === undefined)
      throw new MsgError('MSG_INVALID_ARGUMENT', 'the keyring has no store to reload from');
    try {
      await this.#live.reload(store);
    } catch (cause) {
      // The code of a store that is not ready passes; that of an invalid keyring is about a file, not about the call.
      if (cause instanceof MsgError && !(cause instanceof KeyringFormatError)) throw cause;
      const text = `the keyring could not be reloaded, the old one stays: ${problemOf(cause)}`;
      throw new MsgError('MSG_INTERNAL', text, { cause });
    }
  }

  /** True for a store that can lose the keyring while this process runs. */
  get canBeLost(): boolean {
    return this.#store?.losesData ?? false;
  }

  /** The store's version without reading the keyring; `undefined` without a store. */
  async probe(): Promise<string | undefined> {
    return this.#store?.probe();
  }

  /** Writes the keyring back to a store that lost it, unless another node already did. */
  async restore(): Promise<void> {
    await this.#live.apply(keySet => (keySet.active === undefined ? this.keySet : keySet));
  }

  /** The store's version that is in use. */
  get version(): string | undefined {
    return this.#live.version;
  }
}
