import { MsgError } from '@msg/core';
import { UnauthorizedError } from 'centrifuge';
import { credentialsPair } from './credentials.ts';
import type { MsgClientOptions } from './options.ts';
import { type Fetch, onResume, setTimer } from './platform.ts';
import { isRecoverable } from './recoverable.ts';
import { redeem } from './redeem.ts';
import { RefreshController } from './refresh-controller.ts';
import { decodeJwtPayload } from './scopes.ts';
import { MemoryTokenStore, type TokenPair, type TokenStore } from './stores/token-store.ts';

function pairOfOptions(options: MsgClientOptions): TokenPair | undefined {
  const { credentials, accessToken = '', refreshToken = '', accessExp = 0, refreshExp = 0 } = options;
  if (credentials !== undefined) return credentialsPair(credentials, 'credentials');
  return accessToken || refreshToken ? { accessToken, refreshToken, accessExp, refreshExp } : undefined;
}

/** The tokens of one client, from its options, its store, the service and the application. */
export class ClientTokens {
  readonly #store: TokenStore;
  readonly #refresh: RefreshController;
  readonly #pairOfOptions: TokenPair | undefined;
  readonly #canAsk: boolean;
  /** False without any source of tokens: the stock client then gets no callback, because with one it requires a token. */
  readonly mayExist: boolean;
  #exist = false;
  #connectionToken = '';
  #refusing: Promise<void> | undefined;
  #stopWaking: (() => void) | undefined;

  /** @throws MsgError MSG_INVALID_ARGUMENT when `credentials` has no token. */
  constructor(options: MsgClientOptions, fetch: Fetch, onTerminal: (error: MsgError) => void) {
    const { getCredentials, tokenStore } = options;
    this.#store = tokenStore ?? new MemoryTokenStore();
    this.#pairOfOptions = pairOfOptions(options);
    this.#canAsk = getCredentials !== undefined;
    this.mayExist = this.#canAsk || Boolean(this.#pairOfOptions ?? tokenStore);
    this.#refresh = new RefreshController({
      store: this.#store,
      skewSeconds: options.refreshSkewSeconds ?? 30,
      redeem: refreshToken => redeem(fetch, options.endpoint, refreshToken),
      renew:
        getCredentials &&
        (async () => credentialsPair(await getCredentials(), 'the answer of getCredentials')),
      onTerminal,
      now: () => Date.now(),
      random: () => Math.random(),
      setTimer,
    });
  }

  /** Loads the tokens from the options and the store. */
  async load(): Promise<void> {
    const pair = this.#pairOfOptions;
    const stored = await this.#store.get();
    this.#exist = this.#canAsk || Boolean(pair ?? stored);
    if (pair === undefined) return;
    // A stored pair of the same family is newer: it was made from the pair in the options.
    const family = (token = ''): unknown => decodeJwtPayload(token)?.['fid'];
    const optionFamily = family(pair.refreshToken);
    const isLater = optionFamily !== undefined && optionFamily === family(stored?.refreshToken);
    if (!isLater) await this.#store.set(pair);
  }

  /** Starts refreshing ahead of time, and when the page resumes. */
  async start(): Promise<void> {
    if (!this.#exist) return;
    this.#stopWaking ??= onResume(() => this.#refresh.wake());
    await this.#refresh.start();
  }

  stop(): void {
    this.#refresh.stop();
    this.#stopWaking?.();
    this.#stopWaking = undefined;
  }

  /** The current pair. */
  pair(): Promise<TokenPair | null> {
    return this.#refresh.pair();
  }

  /** A token for the connection of the stock client, as {@link token}. */
  async connectionToken(): Promise<string> {
    this.#connectionToken = await this.token();
    return this.#connectionToken;
  }

  /** The service refuses the token of the connection: {@link token} answers it no more. */
  refuse(reason: MsgError): void {
    this.#refusing = this.#refresh.refuse(this.#connectionToken, reason);
  }

  /** A token for the stock client, empty for an anonymous one; it expects `UnauthorizedError` after the last one. */
  async token(): Promise<string> {
    if (!this.#exist) return '';
    try {
      await this.#refusing;
      return await this.#refresh.token();
    } catch (error) {
      throw error instanceof MsgError && !isRecoverable(error) ? new UnauthorizedError(error.message) : error;
    }
  }
}
