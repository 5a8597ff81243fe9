import { eventually } from '@msg/testkit';
import { Centrifuge } from 'centrifuge';
import { expect } from 'vitest';
import { WebSocket } from 'ws';

const SOON_MS = 60_000;

/** The numbers below `count`. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** All receive the numbers below `count` in the same order, whichever it is. */
export async function receiveInOneOrder(listeners: readonly Listener[], count: number): Promise<void> {
  const all = () => listeners.every(({ received }) => received.length === count);
  await eventually('all arrive', all, SOON_MS);
  const [first, ...others] = listeners.map(({ received }) => received);
  for (const other of others) expect(other).toEqual(first);
  expect(first?.toSorted((a, b) => a - b)).toEqual(upTo(count));
}

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
    await subscription.ready(SOON_MS);
    return listener;
  }

  close(): void {
    this.#client.disconnect();
  }
}
