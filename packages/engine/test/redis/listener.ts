import { Centrifuge } from 'centrifuge';
import { WebSocket } from 'ws';

const READY_MS = 40_000;

/** A stock client, subscribed to one channel; keeps the numbers it receives and whether each resubscribe recovered. */
export class Listener {
  readonly received: number[] = [];
  readonly recovered: boolean[] = [];
  readonly #client: Centrifuge;

  private constructor(client: Centrifuge) {
    this.#client = client;
  }

  static async start(url: string, channel: string): Promise<Listener> {
    const client = new Centrifuge(url, {
      websocket: WebSocket,
      minReconnectDelay: 20,
      maxReconnectDelay: 500,
    });
    const listener = new Listener(client);
    const retry = { minResubscribeDelay: 20, maxResubscribeDelay: 500 };
    const subscription = client.newSubscription(channel, retry);
    subscription.on('publication', ({ data }) => listener.received.push(data as number));
    subscription.on('subscribed', ({ wasRecovering, recovered }) => {
      if (wasRecovering) listener.recovered.push(recovered);
    });
    subscription.subscribe();
    client.connect();
    await subscription.ready(READY_MS);
    return listener;
  }

  close(): void {
    this.#client.disconnect();
  }
}
