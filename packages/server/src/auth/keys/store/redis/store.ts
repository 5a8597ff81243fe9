import { createHash } from 'node:crypto';
import { lua } from '@msg/redis';
import type { SharedStore } from '../../../../stores/redis/shared-store.ts';
import { keySetDocument, parseStoredKeyring } from '../../document.ts';
import type { KeySet } from '../../key-set.ts';
import { KeyringConflict, type KeyringStore, type StoredKeySet } from '../contract.ts';

const SAVE = lua('./save.lua', import.meta.url);

/** A fingerprint that tells two documents apart. It protects nothing, so SHA-1 is enough. */
function fingerprint(document: string): string {
  return createHash('sha1').update(document).digest('hex');
}

/**
 * The keyring that all nodes share: the document of `keyring.json` in compact form. A write needs the version that the
 * writer read. A version is the stored number and the document's fingerprint, because numbers restart after a loss of
 * data. Source: messaging details, section 18.
 */
export class RedisKeyringStore implements KeyringStore {
  readonly backend = 'redis';
  readonly losesData = true;
  readonly location: string;
  readonly #store: SharedStore;
  readonly #document: string;
  readonly #version: string;
  readonly #events: string;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#document = store.key('keyring');
    this.#version = store.key('keyring:version');
    this.#events = store.key('keyring:events');
    this.location = `${store.location}, key ${this.#document}`;
  }

  async load(): Promise<StoredKeySet | undefined> {
    const stored = await this.#read();
    if (stored === undefined) return undefined;
    return { keySet: parseStoredKeyring(stored.document, this.location), version: stored.version };
  }

  async probe(): Promise<string | undefined> {
    return (await this.#read())?.version;
  }

  async save(keySet: KeySet, expected: string | undefined): Promise<string> {
    const args = [JSON.stringify(keySetDocument(keySet)), expected ?? '', this.#events];
    const version = await this.#store.run(SAVE, [this.#document, this.#version], args);
    if (typeof version !== 'string') throw new KeyringConflict('the keyring was changed by another node');
    return version;
  }

  async #read(): Promise<{ readonly document: string; readonly version: string } | undefined> {
    const answer = await this.#store.call('MGET', this.#document, this.#version);
    const [document, version] = answer as [string | null, string | null]; // one per key
    if (document === null) return undefined;
    return { document, version: `${version ?? '0'}:${fingerprint(document)}` };
  }
}
