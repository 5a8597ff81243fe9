import { isRecord } from '@msg/foundation/json';

/** An access token and its refresh token; expiries in unix seconds. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly accessExp: number;
  readonly refreshExp: number;
}

/** The store of a client's pair (messaging details 20). */
export interface TokenStore {
  get(): Promise<TokenPair | null>;
  set(pair: TokenPair): Promise<void>;
  clear(): Promise<void>;
  /** Runs work while no other tab that shares this store runs work; absent: the store is not shared. */
  exclusively?<T>(work: () => Promise<T>): Promise<T>;
}

/** True for a value that has the members of a pair. */
export function isTokenPair(value: unknown): value is TokenPair {
  if (!isRecord(value)) return false;
  const { accessToken, refreshToken, accessExp, refreshExp } = value;
  return (
    typeof accessToken === 'string' &&
    typeof refreshToken === 'string' &&
    typeof accessExp === 'number' &&
    typeof refreshExp === 'number'
  );
}

/** Keeps the pair for the life of the page. */
export class MemoryTokenStore implements TokenStore {
  #pair: TokenPair | null = null;

  async get(): Promise<TokenPair | null> {
    return this.#pair;
  }

  async set(pair: TokenPair): Promise<void> {
    this.#pair = pair;
  }

  async clear(): Promise<void> {
    this.#pair = null;
  }
}
