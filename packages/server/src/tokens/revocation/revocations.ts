import { MsgError } from '@msg/core';
import type { Clock } from '@msg/engine';
import type { VerifiedToken } from '../claims.ts';
import type { RevocationStore } from './contract.ts';

/** Revoking and asking; without a store nothing is revoked and nothing can be. Source: messaging details, section 8. */
export class Revocations {
  readonly #store: RevocationStore | undefined;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();

  constructor(store: RevocationStore | undefined, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  get enabled(): boolean {
    return this.#store !== undefined;
  }

  /** Other nodes revoke through the same store. */
  get shared(): boolean {
    return this.#store?.shared ?? false;
  }

  /** Calls back after every revocation of this process. */
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
    await guarded(() => store.revokeToken(jti, reason));
    this.#notify();
  }

  /**
   * Revokes every token of a user issued up to now. Resolves when the clock has left this second, so that whatever
   * is issued afterwards is valid.
   * @throws MsgError MSG_INVALID_ARGUMENT without a store or id, MSG_INTERNAL
   */
  async revokeUser(user: string): Promise<void> {
    const store = this.#require();
    if (user === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'user_id is required');
    const cutoff = this.#clock.now();
    await guarded(() => store.revokeUser(user, cutoff));
    this.#notify();
    const nextSecond = (Math.floor(cutoff / 1000) + 1) * 1000;
    for (let left = nextSecond - this.#clock.now(); left > 0; left = nextSecond - this.#clock.now()) {
      await new Promise<void>(resolve => this.#clock.setTimeout(resolve, left));
    }
  }

  /** Whether a token was revoked, by its id or through its user. @throws MsgError MSG_INTERNAL when nobody knows. */
  async isRevoked({ claims, subject }: VerifiedToken): Promise<boolean> {
    const store = this.#store;
    if (store === undefined) return false;
    const { tokenRevoked, userCutoff } = await guarded(() => store.lookup(claims.jti ?? '', subject));
    if (tokenRevoked) return true;
    return userCutoff !== undefined && Math.floor(claims.iat) <= Math.floor(userCutoff / 1000);
  }
}

async function guarded<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (cause) {
    throw new MsgError('MSG_INTERNAL', 'the revocation store does not answer', { cause });
  }
}
