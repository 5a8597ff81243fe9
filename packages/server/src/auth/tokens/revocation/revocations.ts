import { MsgError } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { chain, type MaybePromise, recover } from '@msg/foundation/promises';
import type { VerifiedToken } from '../claims.ts';
import { MAX_MGMT_TTL_MS } from '../management.ts';
import type { RevocationEntry, RevocationStore } from './contract.ts';

/** Minimum retention of a revocation: the longest lifetime of IssueMgmt's tokens, and a day. */
export const MIN_RETENTION_MS = MAX_MGMT_TTL_MS + 24 * 3_600_000;

/**
 * Revokes tokens and checks them. Without a store no token is revoked, and revoking fails. Source: messaging details,
 * section 8.
 */
export class Revocations {
  readonly #store: RevocationStore | undefined;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #retentionMs = MIN_RETENTION_MS;

  constructor(store: RevocationStore | undefined, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  get enabled(): boolean {
    return this.#store !== undefined;
  }

  /** True for a store that other nodes write to. */
  get shared(): boolean {
    return this.#store?.shared ?? false;
  }

  /** Changes with every revocation by another thread of this process. */
  get version(): number {
    return this.#store?.version ?? 0;
  }

  /** Extends the retention of revocations to the lifetime of an issued token. */
  cover(lifetimeMs: number): void {
    this.#retentionMs = Math.max(this.#retentionMs, lifetimeMs);
  }

  /** Calls back after every revocation by this process. */
  onRevoked(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #require(): RevocationStore {
    if (this.#store === undefined)
      throw new MsgError('MSG_INVALID_ARGUMENT', 'revocation store not configured');
    return this.#store;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Revokes one token by its `jti`. @throws MsgError MSG_INVALID_ARGUMENT without a store or id, MSG_INTERNAL */
  async revokeToken(jti: string, reason = ''): Promise<void> {
    const store = this.#require();
    if (jti === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'token_id is required');
    await guarded(() => store.revokeToken(jti, reason, this.#retentionMs));
    this.#notify();
  }

  /**
   * Revokes every token of a user that was issued up to now. Resolves after the current second, so that tokens issued
   * afterwards are valid.
   * @throws MsgError MSG_INVALID_ARGUMENT without a store or id, MSG_INTERNAL
   */
  async revokeUser(user: string): Promise<void> {
    const store = this.#require();
    if (user === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'user_id is required');
    const cutoff = this.#clock.now();
    await guarded(() => store.revokeUser(user, cutoff, this.#retentionMs));
    this.#notify();
    await this.#leaveSecondOf(cutoff);
  }

  /** Checks the time twice, because a timer may fire early; does not wait for a clock that was set back. */
  async #leaveSecondOf(time: number): Promise<void> {
    const nextSecond = (Math.floor(time / 1000) + 1) * 1000;
    for (let attempt = 0; attempt < 2; attempt++) {
      const left = nextSecond - this.#clock.now();
      if (left <= 0 || left > 1000) return;
      await new Promise<void>(resolve => this.#clock.setTimeout(resolve, left));
    }
  }

  /**
   * Whether a token was revoked, by its id or by its user; without a promise for a store in memory.
   * @throws MsgError MSG_INTERNAL, as rejection too, when the store fails.
   */
  isRevoked(token: VerifiedToken): MaybePromise<boolean> {
    const store = this.#store;
    if (store === undefined) return false;
    const lookup = () => store.lookup(token.claims.jti ?? '', token.subject);
    return recover(() => chain(lookup(), entry => isCovered(token, entry)), failed);
  }
}

function isCovered({ claims }: VerifiedToken, { tokenRevoked, userCutoff }: RevocationEntry): boolean {
  if (tokenRevoked) return true;
  return userCutoff !== undefined && Math.floor(claims.iat) <= Math.floor(userCutoff / 1000);
}

/** Passes coded errors of the store; replaces any other error, whose text is not for the caller. */
function failed(cause: unknown): never {
  if (cause instanceof MsgError) throw cause;
  throw new MsgError('MSG_INTERNAL', 'the revocation store does not answer', { cause });
}

async function guarded<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (cause) {
    return failed(cause);
  }
}
