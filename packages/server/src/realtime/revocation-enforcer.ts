import { type Client, type RealtimeNode, unsubscribe } from '@msg/engine';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { VerifiedToken } from '../auth/tokens/claims.ts';
import type { RevocationCheck } from '../auth/tokens/revocation/contract.ts';
import type { TokenVerifier } from '../auth/tokens/verifier.ts';
import { SingleRun } from '../timers/single-run.ts';
import { serverGrantOf, subscriptionToken } from './credentials.ts';

/** After this time a second sweep finds subscriptions that were in progress during the first. */
const RECHECK_DELAY_MS = 2000;

/** Tokens that are checked concurrently, which a shared store answers in one pipeline. */
const BATCH = 256;

/** A subscription that depends on a token. */
interface TokenBoundSubscription {
  readonly client: Client;
  readonly channel: string;
}

export interface RevocationEnforcerOptions {
  readonly node: Pick<RealtimeNode, 'clients'>;
  readonly verifier: Pick<TokenVerifier, 'isKeyLive'>;
  readonly isRevoked: RevocationCheck;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/**
 * Ends live private subscriptions whose token was revoked or whose key was retired: the client resubscribes, and is
 * refused or uses a new token. Source: messaging details 6.6 and 7.1, "live effect".
 */
export class RevocationEnforcer {
  readonly #options: RevocationEnforcerOptions;
  readonly #runs = new SingleRun(() => this.#once().catch(this.#options.onError));
  #recheckTimer: TimerHandle | null = null;

  constructor(options: RevocationEnforcerOptions) {
    this.#options = options;
  }

  /**
   * Sweeps now and once more after a delay, after a revocation or retirement: a subscribe that passed its checks before
   * becomes live in between, and 5 s is the promise. Resolves after the first sweep.
   */
  schedule(): Promise<void> {
    const { clock } = this.#options;
    const first = this.sweep();
    if (this.#recheckTimer !== null) clock.clearTimeout(this.#recheckTimer);
    this.#recheckTimer = clock.setTimeout(() => {
      this.#recheckTimer = null;
      void this.sweep();
    }, RECHECK_DELAY_MS);
    return first;
  }

  /** Cancels the second sweep and waits for the current one. */
  async stop(): Promise<void> {
    if (this.#recheckTimer !== null) this.#options.clock.clearTimeout(this.#recheckTimer);
    this.#recheckTimer = null;
    await this.#runs.idle();
  }

  /** Checks every live subscription. A call during a run causes one more run. */
  sweep(): Promise<void> {
    return this.#runs.run();
  }

  async #once(): Promise<void> {
    const subscriptions = this.#subscriptionsByToken();
    const tokens = [...subscriptions.keys()];
    for (let start = 0; start < tokens.length; start += BATCH) {
      const batch = tokens.slice(start, start + BATCH);
      await Promise.all(batch.map(token => this.#endIfDead(token, subscriptions.get(token) ?? [])));
    }
    for (const client of this.#options.node.clients()) await this.#endGrantsOf(client);
  }

  /** Ends subscriptions that a backend gave to a user who was revoked since. */
  async #endGrantsOf(client: Client): Promise<void> {
    if (client.user === '') return;
    for (const channel of client.channels()) {
      const grant = serverGrantOf(client, channel);
      if (grant === undefined) continue;
      const iat = Math.floor(grant.serverGrantedAtMs / 1000);
      const grantedAs = new VerifiedToken({ sub: client.user, typ: 'access', iat, exp: iat }, '', '');
      if (!(await this.#options.isRevoked(grantedAs))) continue;
      const { code, reason } = unsubscribe.serverUnsubscribe;
      // During the check the client may have left the channel and subscribed again.
      if (serverGrantOf(client, channel)?.serverGrantedAtMs === grant.serverGrantedAtMs)
        client.unsubscribe(channel, code, reason);
    }
  }

  /** Live subscriptions by token, so that each token is checked once. */
  #subscriptionsByToken(): Map<VerifiedToken, TokenBoundSubscription[]> {
    const byToken = new Map<VerifiedToken, TokenBoundSubscription[]>();
    for (const client of this.#options.node.clients()) {
      for (const channel of client.channels()) {
        const token = subscriptionToken(client, channel);
        if (token === null) continue;
        const subscriptions = byToken.get(token);
        if (subscriptions === undefined) byToken.set(token, [{ client, channel }]);
        else subscriptions.push({ client, channel });
      }
    }
    return byToken;
  }

  async #endIfDead(token: VerifiedToken, subscriptions: readonly TokenBoundSubscription[]): Promise<void> {
    if (!(await this.#isDead(token))) return;
    const { code, reason } = unsubscribe.subscriptionExpired;
    for (const { client, channel } of subscriptions) {
      // During the check the subscription may have changed its token.
      if (subscriptionToken(client, channel) === token) {
        client.unsubscribe(channel, code, reason);
      }
    }
  }

  async #isDead(token: VerifiedToken): Promise<boolean> {
    const { verifier, isRevoked } = this.#options;
    return !verifier.isKeyLive(token) || (await isRevoked(token));
  }
}
