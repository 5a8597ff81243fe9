import type { ApiKeyStore, StoredApiKey } from './contract.ts';

/** Keys that end with the process, for tests and for backends without a key store. */
export class MemoryApiKeyStore implements ApiKeyStore {
  readonly location = 'memory';
  readonly #keys = new Map<string, StoredApiKey>();

  async load(): Promise<readonly StoredApiKey[]> {
    return [...this.#keys.values()];
  }

  async replace(name: string, seen: string | undefined, next: StoredApiKey | undefined): Promise<boolean> {
    if (this.#keys.get(name)?.revision !== seen) return false;
    if (next === undefined) this.#keys.delete(name);
    else this.#keys.set(name, next);
    return true;
  }
}
