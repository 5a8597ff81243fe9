/** An access token and its refresh token; expiries in unix seconds. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly accessExp: number;
  readonly refreshExp: number;
}

/** Where a client keeps its pair (messaging details 20). */
export interface TokenStore {
  get(): Promise<TokenPair | null>;
  set(pair: TokenPair): Promise<void>;
  clear(): Promise<void>;
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
