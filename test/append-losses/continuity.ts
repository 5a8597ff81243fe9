import { readAppends } from '@msg/client/appends';
import { Centrifuge } from 'centrifuge';
import { WebSocket } from 'ws';

/** What happens to a subscription. */
export type Step =
  | { readonly kind: 'lost'; readonly code: number }
  | { readonly kind: 'subscribed'; readonly recovered: boolean }
  | { readonly kind: 'text'; readonly text: string };

/** A stock client that keeps the events of its subscription in their order, and beside them what `readAppends` tells. */
export class Continuity {
  readonly steps: Step[] = [];
  /** What `readAppends` added, and how often it took back what it had told. */
  added = '';
  resets = 0;
  /** Status of the newest state. */
  status = '';
  readonly #client: Centrifuge;

  constructor(url: string, channel: string, delta: boolean) {
    const retry = { minReconnectDelay: 20, maxReconnectDelay: 200, timeout: 5000 };
    this.#client = new Centrifuge(url, { websocket: WebSocket, ...retry });
    this.#client.on('error', () => {});
    const again = { minResubscribeDelay: 20, maxResubscribeDelay: 200 };
    const subscription = this.#client.newSubscription(channel, delta ? { delta: 'fossil', ...again } : again);
    subscription.on('error', () => {});
    subscription.on('subscribing', ({ code }) => this.steps.push({ kind: 'lost', code }));
    subscription.on('subscribed', ({ recovered }) => this.steps.push({ kind: 'subscribed', recovered }));
    subscription.on('publication', ({ data }) => {
      this.steps.push({ kind: 'text', text: data.text });
      this.status = data.status;
    });
    void this.#read(subscription);
    subscription.subscribe();
    this.#client.connect();
  }

  /** The text as it was seen last. */
  get text(): string {
    const last = this.steps.findLast(({ kind }) => kind === 'text');
    return last?.kind === 'text' ? last.text : '';
  }

  async ready(): Promise<void> {
    for (const subscription of Object.values(this.#client.subscriptions())) await subscription.ready(60_000);
  }

  close(): void {
    this.#client.disconnect();
  }

  async #read(subscription: Parameters<typeof readAppends>[0]): Promise<void> {
    for await (const { added, reset } of readAppends(subscription)) {
      this.added += added;
      if (reset) this.resets++;
    }
  }
}

/**
 * What contradicts the order of a loss (append streams 6.4): the subscription loses its continuity, subscribes anew, gets
 * the state that there is, and that grows again. `whole`: everything that was written.
 */
export function disorderOf(steps: readonly Step[], whole: string): readonly string[] {
  const found: string[] = [];
  let isSubscribed = false;
  let isContinued = false;
  let last = '';
  for (const step of steps) {
    if (step.kind === 'lost') isSubscribed = false;
    else if (step.kind === 'subscribed') {
      isSubscribed = true;
      isContinued = step.recovered;
    } else {
      const { text } = step;
      const shown = `…${text.slice(-20)} after …${last.slice(-20)}`;
      if (!isSubscribed) found.push(`a state before the new subscribe: ${shown}`);
      if (!whole.startsWith(text)) found.push(`no prefix: ${shown}`);
      if (isContinued && text.length < last.length) found.push(`shorter without a loss: ${shown}`);
      isContinued = true;
      last = text;
    }
  }
  return found;
}
