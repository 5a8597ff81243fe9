import { MsgError } from '@msg/core';
import { SerialQueue } from '@msg/foundation/promises';
import { KeyringFormatError } from './document.ts';
import type { KeySet } from './key-set.ts';
import { KeyringConflict, type KeyringStore, type StoredKeySet } from './store/contract.ts';

/** Attempts of a change on a store that others write to. */
const MAX_ATTEMPTS = 8;

/** Makes the next key set; the same one means that nothing changes. */
export type KeySetChange = (keySet: KeySet) => KeySet;

/** The key set in use. Changes run one after the other, and each is written to the store before it takes effect. */
export class LiveKeySet {
  readonly #store: KeyringStore | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #afterChange = new Set<() => Promise<void>>();
  readonly #beforeDemotion = new Set<(kid: string) => Promise<void>>();
  readonly #changes = new SerialQueue();
  #current: KeySet;
  #version: string | undefined;
  #generation = 0;

  constructor(initial: KeySet, store: KeyringStore | undefined) {
    this.#current = initial;
    this.#store = store;
  }

  /** It is replaced as a whole, so one read is consistent. */
  get current(): KeySet {
    return this.#current;
  }

  /** The store's version that is in use. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Number of key sets that this process has used. */
  get generation(): number {
    return this.#generation;
  }

  /** Calls back after every change. Returns a function that cancels it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Waits for the callback in each change: what changes the key set resolves behind it. */
  afterChange(listener: () => Promise<void>): void {
    this.#afterChange.add(listener);
  }

  /** Waits for the callback before a change by this process ends the signing of a key. */
  beforeDemotion(listener: (kid: string) => Promise<void>): void {
    this.#beforeDemotion.add(listener);
  }

  /**
   * Applies a change to the stored keyring; the one in memory changes only after the write succeeded.
   * @returns the generation of the changed key set
   */
  apply(change: KeySetChange): Promise<number> {
    return this.#changes.run(async () => {
      const store = this.#store;
      if (store === undefined) {
        return this.#swap(await this.#announced(this.#current, change), undefined);
      }
      for (let attempt = 1; ; attempt++) {
        const stored = await loadFrom(store);
        // A keyring that the store lost is not an empty one: it is written again, with the change.
        const base = stored === undefined || stored.version === this.#version ? this.#current : stored.keySet;
        const next = await this.#announced(base, change);
        try {
          const unchanged = next === base && stored !== undefined;
          const version = unchanged ? stored.version : await store.save(next, stored?.version);
          return await this.#swap(next, version);
        } catch (error) {
          if (!(error instanceof KeyringConflict) || attempt >= MAX_ATTEMPTS) throw error;
        }
      }
    });
  }

  /** Takes what the store holds. @throws KeyringFormatError, Error for a store without keyring or without an answer */
  reload(store: KeyringStore): Promise<void> {
    return this.#changes.run(async () => {
      const stored = await loadFrom(store);
      if (stored === undefined) throw new Error(`there is no keyring at ${store.location}`);
      await this.#swap(stored.keySet, stored.version);
    });
  }

  /** Reads the store, if another process wrote it. */
  async follow(): Promise<void> {
    const store = this.#store;
    const version = await store?.probe();
    if (store !== undefined && version !== undefined && version !== this.#version) await this.reload(store);
  }

  /**
   * Puts a key set in the place of the one that was seen, for a thread of the process that changed it.
   * @returns its generation
   * @throws KeyringConflict when another one is in use by now
   */
  replace(next: KeySet, seen: KeySet): Promise<number> {
    return this.apply(keySet => {
      if (keySet !== seen) throw new KeyringConflict('another thread has changed the keyring');
      return next;
    });
  }

  /**
   * Refuses while another thread of the process has changed the keyring and this one has not followed yet.
   * @throws MsgError MSG_BROKER_NOT_READY
   */
  requireCurrent(): void {
    if (this.#store?.isCurrent?.(this.#version) === false)
      throw new MsgError('MSG_BROKER_NOT_READY', 'the keyring is being renewed', { retryAfterMs: 1000 });
  }

  /** The changed key set, once everybody knows which key signs no more. */
  async #announced(base: KeySet, change: KeySetChange): Promise<KeySet> {
    const next = change(base);
    const demoted = base.active?.id;
    if (demoted !== undefined && next.active?.id !== demoted)
      await Promise.all([...this.#beforeDemotion].map(listener => listener(demoted)));
    return next;
  }

  /** Resolves to the generation of the key set. */
  async #swap(keySet: KeySet, version: string | undefined): Promise<number> {
    this.#version = version;
    if (keySet === this.#current) return this.#generation;
    this.#current = keySet;
    const generation = ++this.#generation;
    for (const listener of this.#listeners) listener();
    await Promise.all([...this.#afterChange].map(listener => listener()));
    return generation;
  }
}

/** The stored keyring. @throws KeyringFormatError also for a keyring without an active key */
async function loadFrom(store: KeyringStore): Promise<StoredKeySet | undefined> {
  const stored = await store.load();
  if (stored === undefined || stored.keySet.active !== undefined) return stored;
  throw new KeyringFormatError('there is no active key in it', store.location);
}
