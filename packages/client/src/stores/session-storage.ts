import { platform, type TabStorage } from '../platform.ts';
import { isTokenPair, type TokenPair, type TokenStore } from './token-store.ts';

/**
 * Keeps the pair for the life of the tab, reloads included. A duplicated tab starts with a copy, and the second of two
 * tabs that redeem one refresh token counts as theft: use `BroadcastTokenStore` where users duplicate tabs.
 */
export class SessionStorageTokenStore implements TokenStore {
  readonly #key: string;
  readonly #storage: TabStorage;

  /** @param storage default the tab's `sessionStorage` */
  constructor(key = 'msg.tokens', storage: TabStorage | undefined = platform.sessionStorage) {
    if (storage === undefined) throw new TypeError('there is no sessionStorage here');
    this.#key = key;
    this.#storage = storage;
  }

  async get(): Promise<TokenPair | null> {
    try {
      const pair: unknown = JSON.parse(this.#storage.getItem(this.#key) ?? 'null');
      return isTokenPair(pair) ? pair : null;
    } catch {
      return null;
    }
  }

  async set(pair: TokenPair): Promise<void> {
    this.#storage.setItem(this.#key, JSON.stringify(pair));
  }

  async clear(): Promise<void> {
    this.#storage.removeItem(this.#key);
  }
}
