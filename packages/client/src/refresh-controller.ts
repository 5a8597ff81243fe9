import { MsgError } from '@msg/core';
import { isRecoverable } from './recoverable.ts';
import type { TokenPair, TokenStore } from './stores/token-store.ts';

/** Injected time and randomness; `now` in Unix milliseconds, `random` in [0, 1). */
interface Platform {
  now(): number;
  random(): number;
  /** Runs `task` after `ms`; returns a function that cancels it. */
  setTimer(ms: number, task: () => void): () => void;
}

export interface RefreshControllerOptions extends Platform {
  readonly store: TokenStore;
  /** Seconds before its expiry at which a token no longer counts as fresh. */
  readonly skewSeconds: number;
  /** Redeems a refresh token. An empty `refreshToken` in the answer keeps the old one. */
  readonly redeem: (refreshToken: string) => Promise<TokenPair>;
  /** Fetches a pair from the application when no refresh token works; absent: the failure is terminal. */
  readonly renew?: (() => Promise<TokenPair>) | undefined;
  /** Called once for each terminal failure, after the store was emptied. */
  readonly onTerminal: (error: MsgError) => void;
}

/** Random addition to the lead of the timer, so that many tabs do not refresh at once. */
const SPREAD_MS = 5_000;
/** Minimum time between two pairs from the application: an invalid new pair is terminal within it. */
const RENEWAL_INTERVAL_MS = 30_000;
/** Minimum delay of the timer, for short-lived tokens. */
const SHORTEST_WAIT_MS = 1_000;

/** Keeps one pair fresh, with one redemption in flight at a time (messaging details 20). */
export class RefreshController {
  readonly #options: RefreshControllerOptions;
  #flight: Promise<string> | undefined;
  #cancel: (() => void) | undefined;
  #stopped = false;
  /** Time of the application's last pair, Unix milliseconds. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** When the service refused a token last, unix milliseconds, and why until there is a new one. */
  #refusedAt = Number.NEGATIVE_INFINITY;
  #error: MsgError | undefined;
  /** A pair that the store could not save: only its refresh token still works. */
  #unstored: TokenPair | null = null;

  constructor(options: RefreshControllerOptions) {
    this.#options = options;
  }

  /** Starts refreshing ahead of time. */
  async start(): Promise<void> {
    this.#stopped = false;
    await this.#plan();
  }

  /** The current pair. */
  async pair(): Promise<TokenPair | null> {
    return this.#unstored ?? this.#options.store.get();
  }

  /**
   * The service refuses this access token, whatever its end says: it counts as ended. Soon after another refusal the
   * refresh token is given up, too: it leads to tokens that are refused. Tokens that were replaced are passed over.
   */
  async refuse(accessToken: string, reason: MsgError): Promise<void> {
    const pair = await this.pair();
    if (pair?.accessToken !== accessToken || !this.#isFresh(pair)) return;
    const now = this.#options.now();
    const isSecond = now - this.#refusedAt < RENEWAL_INTERVAL_MS;
    this.#refusedAt = now;
    this.#error = reason;
    await this.#keep({ ...pair, accessExp: 0, refreshToken: isSecond ? '' : pair.refreshToken });
  }

  /** Refreshes a stale token now: the page may have slept through the timer. */
  wake(): void {
    if (this.#stopped) return;
    this.token().then(
      () => this.#plan(),
      () => {}, // `onTerminal` reported it, or the timer retries
    );
  }

  /** Ends the timer; a redemption in flight still persists its pair. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /**
   * A fresh enough access token; concurrent callers share one redemption.
   * @param due access token to replace even while it is fresh
   * @throws MsgError of the terminal failure, or the recoverable error unchanged.
   */
  token(due?: string): Promise<string> {
    this.#flight ??= this.#fresh(due).finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  async #fresh(due: string | undefined): Promise<string> {
    const { store } = this.#options;
    const before = await this.pair();
    if (before !== null && before.accessToken !== due && this.#isFresh(before)) {
      // Another tab that shares the store has already refreshed.
      if (due !== undefined) this.#schedule(before);
      return before.accessToken;
    }
    const work = () => this.#redeemUnless(before);
    try {
      const pair = await (store.exclusively?.(work) ?? work());
      this.#schedule(pair);
      return pair.accessToken;
    } catch (error) {
      if (error instanceof MsgError && !isRecoverable(error)) await this.#end(error);
      throw error;
    }
  }

  #isFresh(pair: TokenPair): boolean {
    const { now, skewSeconds } = this.#options;
    return pair.accessExp - skewSeconds > now() / 1000;
  }

  /** Redeems the pair, unless another tab that shares the store already did. */
  async #redeemUnless(before: TokenPair | null): Promise<TokenPair> {
    const old = await this.pair();
    if (old !== null && old.accessToken !== before?.accessToken && this.#isFresh(old)) return old;
    const pair = await this.#obtain(old);
    this.#error = undefined;
    await this.#keep(pair);
    return pair;
  }

  /** A full store must not lose the only working refresh token: the pair then stays here. */
  async #keep(pair: TokenPair): Promise<void> {
    this.#unstored = pair;
    await this.#options.store.set(pair).then(
      () => {
        this.#unstored = null;
      },
      () => {},
    );
  }

  /** A pair for the refresh token; when no refresh token works, one from the application. */
  async #obtain(old: TokenPair | null): Promise<TokenPair> {
    const { now, redeem, renew } = this.#options;
    const mayRenew = renew !== undefined && now() - this.#renewedAt >= RENEWAL_INTERVAL_MS;
    try {
      if (!old?.refreshToken)
        throw this.#error ?? new MsgError('MSG_AUTH_EXPIRED', 'there is no refresh token');
      const answer = await redeem(old.refreshToken);
      const refresh = { refreshToken: old.refreshToken, refreshExp: old.refreshExp };
      return answer.refreshToken === '' ? { ...answer, ...refresh } : answer;
    } catch (error) {
      if (isRecoverable(error)) throw error;
      if (mayRenew) {
        const pair = await renew();
        this.#renewedAt = now();
        return pair;
      }
      // An access token that lives shorter than the skew is used to its end.
      if (old?.refreshToken === '' && old.accessExp * 1000 > now()) return old;
      throw error;
    }
  }

  async #end(error: MsgError): Promise<void> {
    this.stop();
    this.#unstored = null;
    await this.#options.store.clear();
    this.#options.onTerminal(error);
  }

  async #plan(): Promise<void> {
    const pair = await this.pair();
    if (pair !== null) this.#schedule(pair);
  }

  #schedule(pair: TokenPair): void {
    const { now, random, skewSeconds } = this.#options;
    const left = pair.accessExp * 1000 - now();
    // For a lifetime shorter than the skew half of it counts, or redemptions would follow without a pause.
    const due = left - skewSeconds * 1000 - random() * SPREAD_MS;
    this.#wait(Math.max(due > 0 ? due : left / 2, SHORTEST_WAIT_MS), pair.accessToken);
  }

  #wait(ms: number, due: string): void {
    this.#cancel?.();
    if (!this.#stopped) this.#cancel = this.#options.setTimer(ms, () => this.#refreshAhead(due));
  }

  /** A recoverable failure is tried again; a terminal one was reported by `onTerminal`. */
  #refreshAhead(due: string): void {
    this.token(due).catch(() => this.#wait(SPREAD_MS, due));
  }
}
