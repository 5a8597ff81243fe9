import { MsgError } from '@msg/core';
import { isRecoverable } from './recoverable.ts';
import type { TokenPair, TokenStore } from './token-store.ts';

/** Time and chance of the surroundings; `now` in unix milliseconds, `random` in [0, 1). */
export interface Surroundings {
  now(): number;
  random(): number;
  /** Runs `task` after `ms`; the answer cancels it. */
  after(ms: number, task: () => void): () => void;
}

export interface RefreshControllerOptions extends Surroundings {
  readonly store: TokenStore;
  /** Seconds before its expiry at which a token no longer counts as fresh. */
  readonly skewSeconds: number;
  /** Redeems a refresh token. An empty `refreshToken` in the answer keeps the old one. */
  readonly redeem: (refreshToken: string) => Promise<TokenPair>;
  /** Told once per failure that no further attempt can mend; the store is empty by then. */
  readonly onTerminal: (error: MsgError) => void;
}

/** Up to this long is added to the lead of the timer, so that many tabs do not ask at once. */
const SPREAD_MS = 5_000;
/** However short a token lives, the timer waits this long. */
const SHORTEST_WAIT_MS = 1_000;

/** Keeps one pair fresh, with one redemption in flight at a time (messaging details 20). */
export class RefreshController {
  readonly #options: RefreshControllerOptions;
  #flight: Promise<string> | undefined;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(options: RefreshControllerOptions) {
    this.#options = options;
  }

  /** Begins to refresh ahead of time. */
  async start(): Promise<void> {
    this.#stopped = false;
    const pair = await this.#options.store.get();
    if (pair !== null) this.#schedule(pair);
  }

  /** Ends the timer; a redemption in flight still persists its pair. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /**
   * A fresh enough access token; concurrent callers share one redemption.
   * @throws MsgError of the terminal failure, or the recoverable error as it came.
   */
  token(): Promise<string> {
    return this.#fly(false);
  }

  #fly(ahead: boolean): Promise<string> {
    this.#flight ??= this.#fresh(ahead).finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  async #fresh(ahead: boolean): Promise<string> {
    const { store, now, skewSeconds, redeem } = this.#options;
    const old = await store.get();
    if (!ahead && old !== null && old.accessExp - skewSeconds > now() / 1000) return old.accessToken;
    try {
      if (!old?.refreshToken) throw new MsgError('MSG_AUTH_EXPIRED', 'there is no refresh token');
      const answer = await redeem(old.refreshToken);
      const kept = { refreshToken: old.refreshToken, refreshExp: old.refreshExp };
      const pair = answer.refreshToken === '' ? { ...answer, ...kept } : answer;
      await store.set(pair);
      this.#schedule(pair);
      return pair.accessToken;
    } catch (error) {
      if (error instanceof MsgError && !isRecoverable(error)) await this.#end(error);
      throw error;
    }
  }

  async #end(error: MsgError): Promise<void> {
    this.stop();
    await this.#options.store.clear();
    this.#options.onTerminal(error);
  }

  #schedule(pair: TokenPair): void {
    const { now, random, skewSeconds } = this.#options;
    const left = pair.accessExp * 1000 - now();
    // A life shorter than the skew is used by half, or one redemption would chase the next.
    const due = left - skewSeconds * 1000 - random() * SPREAD_MS;
    this.#wait(Math.max(due > 0 ? due : left / 2, SHORTEST_WAIT_MS));
  }

  #wait(ms: number): void {
    this.#cancel?.();
    if (!this.#stopped) this.#cancel = this.#options.after(ms, () => this.#refreshAhead());
  }

  /** What passes is tried again; a terminal failure was told by `onTerminal`. */
  #refreshAhead(): void {
    this.#fly(true).catch(() => this.#wait(SPREAD_MS));
  }
}
