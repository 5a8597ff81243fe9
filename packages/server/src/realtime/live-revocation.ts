import type { RealtimeNode } from '@msg/engine';
import type { RevocationCheck } from '../access/method-rights.ts';
import type { VerifiedToken } from '../tokens/claims.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import { subscriptionToken } from './connection-state.ts';
import { SUBSCRIPTION_EXPIRED } from './replies.ts';

/**
 * Ends live private subscriptions whose token was revoked or whose key was retired: the client resubscribes and is
 * then refused, or comes back with a new token. Source: messaging details 6.6 and 7.1, "live effect".
 */
export class LiveRevocation {
  readonly #node: RealtimeNode;
  readonly #verifier: TokenVerifier;
  readonly #isRevoked: RevocationCheck;
  readonly #onError: (error: unknown) => void;
  #running: Promise<void> | null = null;
  #again = false;

  constructor(
    node: RealtimeNode,
    verifier: TokenVerifier,
    isRevoked: RevocationCheck,
    onError: (error: unknown) => void,
  ) {
    this.#node = node;
    this.#verifier = verifier;
    this.#isRevoked = isRevoked;
    this.#onError = onError;
  }

  /** Looks at every live subscription. Asked during a run, one more run follows. */
  sweep(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      try {
        await this.#once();
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  async #once(): Promise<void> {
    /** One question per token, however many subscriptions rest on it. */
    const asked = new Map<VerifiedToken, Promise<boolean>>();
    for (const client of [...this.#node.clients()]) {
      for (const channel of client.channels()) {
        const token = subscriptionToken(client, channel);
        if (token === null) continue;
        let answer = asked.get(token);
        if (answer === undefined) {
          answer = this.#isDead(token);
          asked.set(token, answer);
        }
        // While that was asked the subscription may have moved to another token.
        if ((await answer) && subscriptionToken(client, channel) === token) {
          client.unsubscribe(channel, SUBSCRIPTION_EXPIRED.code, SUBSCRIPTION_EXPIRED.reason);
        }
      }
    }
  }

  async #isDead(token: VerifiedToken): Promise<boolean> {
    return !this.#verifier.isKeyLive(token) || (await this.#isRevoked(token));
  }
}
