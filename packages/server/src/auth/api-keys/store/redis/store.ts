import { lua } from '@msg/redis';
import type { SharedStore } from '../../../../stores/redis/shared-store.ts';
import type { ApiKeyStore, StoredApiKey } from '../contract.ts';
import { parseStored, readApiKey, writeApiKey } from '../document.ts';

const REPLACE = lua('./replace.lua', import.meta.url);

/** The keys that all nodes share: the hash `<prefix>:apikeys` with the JSON of each key by its name. */
export class RedisApiKeyStore implements ApiKeyStore {
  readonly location: string;
  readonly #store: SharedStore;
  readonly #key: string;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#key = store.key('apikeys');
    this.location = `${store.location}, key ${this.#key}`;
  }

  async load(): Promise<readonly StoredApiKey[]> {
    const answer = (await this.#store.call('HGETALL', this.#key)) as readonly string[]; // fields and values alternate
    const texts = answer.filter((_, index) => index % 2 === 1);
    return texts.map(text => readApiKey(parseStored(text, this.location), this.location));
  }

  async replace(name: string, seen: string | undefined, next: StoredApiKey | undefined): Promise<boolean> {
    const text = next === undefined ? '' : JSON.stringify(writeApiKey(next));
    return (await this.#store.run(REPLACE, [this.#key], [name, seen ?? '', text])) === 1;
  }
}
