import { stockClient } from '../../../support/stock-client.ts';

/** What one publication of the test carries. */
export interface Numbered {
  readonly n: number;
}

/** A stock client on one channel that remembers what it received and what it was told. */
export class Subscriber {
  /** Numbers in the order in which they arrived. */
  readonly received: number[] = [];
  /** How often it was told that publications are lost. */
  losses = 0;
  readonly #ready: Promise<void>;

  constructor(websocketUrl: string, channel: string) {
    const client = stockClient(websocketUrl);
    const subscription = client.newSubscription(channel, {
      minResubscribeDelay: 50,
      maxResubscribeDelay: 500,
    });
    subscription.on('publication', ({ data }) => this.received.push((data as Numbered).n));
    subscription.on('subscribed', ({ wasRecovering, recovered }) => {
      if (wasRecovering && !recovered) this.losses++;
    });
    subscription.subscribe();
    client.connect();
    this.#ready = subscription.ready(60_000);
  }

  /** Resolves once it is subscribed for the first time. */
  ready(): Promise<void> {
    return this.#ready;
  }
}
