import { type KeySummary, MsgError } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { Clock, Random } from '@msg/foundation/clock';
import { SerialQueue } from '@msg/foundation/promises';
import { stateDirectoryError } from '../../config/directory.ts';
import { KeyringFormatError } from './document.ts';
import { generateKey, KeySet, type SigningKey } from './ring.ts';
import { KeyringConflict, type KeyringStore, type StoredKeySet } from './store/contract.ts';

/** Remedy for a stored keyring that cannot be used at the start. */
const REMEDY =
  'restore it from a backup, or remove it: the next start then makes a new key, and every token issued so far ends';

/** Attempts of a change on a store that others write to. */
const MAX_ATTEMPTS = 8;

export interface KeyringOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: the keyring ends with the process. */
  readonly store?: KeyringStore;
  /** A key set from outside; it is used as it is, without a store. */
  readonly ring?: KeySet;
}

/** Kinds of changes to the ring. */
export type KeyRotation = 'generated' | 'promoted' | 'retired';

type Change = (ring: KeySet) => KeySet;

function problemOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'unknown failure';
}

function summary(key: SigningKey, role: string, retiredAt: string): KeySummary {
  return {
    id: key.id,
    kid: key.id,
    role,
    created_at: formatTimestamp(key.createdAt),
    retired_at: retiredAt,
    alg: key.material.alg,
    fingerprint: key.material.fingerprint,
  };
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
  readonly #listeners = new Set<() => void>();
  readonly #onRotation = new Set<(action: KeyRotation) => void>();
  /** Ids that this process retired, so that retiring them again succeeds. */
  readonly #retired = new Set<string>();
  /** Retired keys that no listing has returned yet. */
  #unlisted: KeySummary[] = [];
  #ring: KeySet;
  #version: string | undefined;
  #generation = 0;
  /** Changes run one after the other. */
  readonly #changes = new SerialQueue();

  private constructor(options: KeyringOptions, ring: KeySet, version: string | undefined) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#store = options.store;
    this.#isExternal = options.ring !== undefined;
    this.#ring = ring;
    this.#version = version;
  }

  /**
   * Loads the keyring from its store; a missing keyring is created with one active key and stored.
   * @throws KeyringFormatError for a stored keyring that is invalid or has no active key; MsgError
   * MSG_INVALID_ARGUMENT when the state directory cannot be used, MSG_INTERNAL when the store fails otherwise
   */
  static async open(options: KeyringOptions): Promise<Keyring> {
    const keyring = new Keyring(options, options.ring ?? new KeySet([]), undefined);
    if (options.ring === undefined || options.ring.active === undefined) {
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
    await this.#apply(ring => (ring.active === undefined ? ring.with(first) : ring));
  }

  /** The current key set. It is replaced as a whole, so one read is consistent. */
  get ring(): KeySet {
    return this.#ring;
  }

  /** The key that signs. */
  get active(): SigningKey {
    const active = this.#ring.active;
    if (active === undefined) throw new MsgError('MSG_INTERNAL', 'the keyring has no active key');
    return active;
  }

  /** `external` for a key set from outside, `ephemeral` for one that ends with the process. */
  get backend(): string {
    return this.#store?.backend ?? (this.#isExternal ? 'external' : 'ephemeral');
  }

  /** Location of the store; empty without one. */
  get location(): string {
    return this.#store?.location ?? '';
  }

  /** Number of key sets that this process has used. */
  get generation(): number {
    return this.#generation;
  }

  get hasStore(): boolean {
    return this.#store !== undefined;
  }

  /** Calls back after every change of the keyring. Returns a function that cancels it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls back after every change by this process, with its kind. */
  onRotation(listener: (action: KeyRotation) => void): void {
    this.#onRotation.add(listener);
  }

  #rotated(action: KeyRotation): void {
    for (const listener of this.#onRotation) listener(action);
  }

  #swap(ring: KeySet, version: string | undefined): void {
    this.#version = version;
    if (ring === this.#ring) return;
    this.#ring = ring;
    this.#generation++;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Makes a requested change.
   * @throws MsgError MSG_INTERNAL, without a change, when the stored keyring cannot be read or written
   */
  async #change(change: Change): Promise<void> {
    try {
      await this.#apply(change);
    } catch (cause) {
      if (cause instanceof MsgError && !(cause instanceof KeyringFormatError)) throw cause;
      const problem = cause instanceof KeyringFormatError ? cause.message : `keyring: ${problemOf(cause)}`;
      throw new MsgError('MSG_INTERNAL', `${problem}; nothing was changed, the keys in use stay in use`, {
        cause,
      });
    }
  }

  /** The stored keyring. @throws KeyringFormatError also for a keyring without an active key */
  async #stored(store: KeyringStore): Promise<StoredKeySet | undefined> {
    const stored = await store.load();
    if (stored === undefined || stored.ring.active !== undefined) return stored;
    throw new KeyringFormatError('there is no active key in it', store.location);
  }

  /** Applies a change to the stored keyring; the one in memory changes only after the write succeeded. */
  #apply(change: Change): Promise<void> {
    return this.#changes.run(async () => {
      const store = this.#store;
      if (store === undefined) {
        this.#swap(change(this.#ring), undefined);
        return;
      }
      for (let attempt = 1; ; attempt++) {
        const stored = await this.#stored(store);
        // A keyring that the store lost is not an empty one: it is written again, with the change.
        const base = stored === undefined || stored.version === this.#version ? this.#ring : stored.ring;
        const next = change(base);
        try {
          const unchanged = next === base && stored !== undefined;
          this.#swap(next, unchanged ? stored.version : await store.save(next, stored?.version));
          return;
        } catch (error) {
          if (!(error instanceof KeyringConflict) || attempt >= MAX_ATTEMPTS) throw error;
        }
      }
    });
  }

  /** Adds a verify-only key. @throws MsgError MSG_INVALID_ARGUMENT for an unsupported algorithm. */
  async generate(alg = 'HS256'): Promise<KeySummary> {
    const key = await generateKey(this.#random, this.#clock.now(), alg);
    await this.#change(ring => ring.with(key));
    this.#rotated('generated');
    return summary({ ...key, role: 'verify-only' }, this.#ring.resolve(key.id)?.role ?? 'verify-only', '');
  }

  /** Activates a key. @throws MsgError MSG_INVALID_ARGUMENT for an unknown or retired id. */
  async promote(id: string): Promise<void> {
    let changed = false;
    await this.#change(ring => {
      changed = ring.active?.id !== id;
      return changed ? ring.promoted(id) : ring;
    });
    if (changed) this.#rotated('promoted');
  }

  /**
   * Retires a key, also the active one: tokens that it signed no longer verify. Retiring it again succeeds. Retiring the
   * last key generates a new one of its algorithm.
   * @throws MsgError MSG_INVALID_ARGUMENT for an unknown id.
   */
  async retire(id: string): Promise<void> {
    const alg = this.#ring.resolve(id)?.material.alg;
    const replacement = await generateKey(this.#random, this.#clock.now(), alg);
    let gone: SigningKey | undefined;
    await this.#change(ring => {
      gone = ring.resolve(id);
      if (gone !== undefined) return ring.without(id, replacement);
      if (this.#retired.has(id)) return ring;
      throw new MsgError('MSG_INVALID_ARGUMENT', `key ${id} is not known`);
    });
    if (gone === undefined) return;
    this.#rotated('retired');
    this.#retired.add(id);
    this.#unlisted.push(summary(gone, 'retired', formatTimestamp(this.#clock.now())));
  }

  /** Live keys, and once each key retired since the last listing; sorted by creation time, then id. */
  list(): readonly KeySummary[] {
    const live = this.#ring.keys.map(key => summary(key, key.role, ''));
    const shown = [...live, ...this.#unlisted];
    this.#unlisted = [];
    return shown.sort((a, b) =>
      a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1,
    );
  }

  /**
   * Reads the store again. When that fails, the current keyring stays.
   * @throws MsgError MSG_INVALID_ARGUMENT without a store, MSG_INTERNAL when it cannot be read.
   */
  async reload(): Promise<void> {
    const store = this.#store;
    if (store === undefined)
      throw new MsgError('MSG_INVALID_ARGUMENT', 'the keyring has no store to reload from');
    await this.#changes.run(async () => {
      try {
        const stored = await this.#stored(store);
        if (stored === undefined) throw new Error(`there is no keyring at ${store.location}`);
        this.#swap(stored.ring, stored.version);
      } catch (cause) {
        // The code of a store that is not ready passes; that of an invalid keyring is about a file, not about the call.
        if (cause instanceof MsgError && !(cause instanceof KeyringFormatError)) throw cause;
        const text = `the keyring could not be reloaded, the old one stays: ${problemOf(cause)}`;
        throw new MsgError('MSG_INTERNAL', text, { cause });
      }
    });
  }

  /** True for a store that can lose the keyring while this process runs. */
  get canBeLost(): boolean {
    return this.#store?.losesData ?? false;
  }

  /** The store's version without reading the ring; `undefined` without a store. */
  async probe(): Promise<string | undefined> {
    return this.#store?.probe();
  }

  /** Writes the keyring back to a store that lost it, unless another node already did. */
  async restore(): Promise<void> {
    await this.#apply(ring => (ring.active === undefined ? this.#ring : ring));
  }

  /** The store's version that is in use. */
  get version(): string | undefined {
    return this.#version;
  }
}
