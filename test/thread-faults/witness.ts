import { Centrifuge, type Subscription } from 'centrifuge';
import { DELAYS_MS } from '../support/listener/client.ts';

/** A client that counts who joins and leaves a channel. */
export class Witness {
  readonly #client: Centrifuge;
  readonly #subscription: Subscription;
  /** Clients that are there, by what it was told since it last asked. */
  #there = new Set<string>();
  /** True while its connection has not broken since it last asked: joins and leaves are not recovered. */
  isWhole = false;

  constructor(url: string, channel: string) {
    this.#client = new Centrifuge(`${url.replace('http', 'ws')}/connection/websocket`, {
      minReconnectDelay: DELAYS_MS.least,
      maxReconnectDelay: DELAYS_MS.most,
    });
    this.#client.on('connecting', () => {
      this.isWhole = false;
    });
    this.#subscription = this.#client.newSubscription(channel, { joinLeave: true });
    this.#subscription.on('join', ({ info }) => this.#there.add(info.client));
    this.#subscription.on('leave', ({ info }) => this.#there.delete(info.client));
    this.#subscription.subscribe();
    this.#client.connect();
  }

  /** Comes anew, to the thread with the fewest connections, and asks who is there; what is told from now on counts. Nobody may come or go meanwhile. */
  async begin(): Promise<void> {
    this.#client.disconnect();
    this.#client.connect();
    await this.#subscription.ready();
    this.#there = new Set(await this.#asked());
    this.isWhole = true;
  }

  /** Whether joins and leaves since then explain who is there now. */
  async agrees(): Promise<boolean> {
    const now = new Set(await this.#asked());
    return now.size === this.#there.size && [...now].every(client => this.#there.has(client));
  }

  stop(): void {
    this.#client.disconnect();
  }

  async #asked(): Promise<string[]> {
    return Object.keys((await this.#subscription.presence()).clients);
  }
}
