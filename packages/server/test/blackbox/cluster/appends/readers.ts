import { Centrifuge } from 'centrifuge';
import { WebSocket } from 'ws';

interface Document {
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
  readonly text: string;
}

/** A stock client that reads a growing message, and turns to the next node when its own is gone. */
export class Reader {
  /** What must not be. */
  readonly faults: string[] = [];
  newest: Document | null = null;
  /** Publications with a final status. */
  ends = 0;
  readonly #client: Centrifuge;
  readonly #written: () => string;

  /** `written`: everything that the producer wrote so far, of which every text is a prefix. */
  constructor(urls: readonly string[], channel: string, delta: boolean, written: () => string) {
    let tries = 0;
    class NextNode extends WebSocket {
      constructor(_url: string, protocols?: string | string[]) {
        super(urls[tries++ % urls.length] as string, protocols);
      }
    }
    this.#written = written;
    const retry = { minReconnectDelay: 20, maxReconnectDelay: 200, timeout: 5000 };
    this.#client = new Centrifuge(urls[0] as string, { websocket: NextNode, ...retry });
    this.#client.on('error', () => {});
    const again = { minResubscribeDelay: 20, maxResubscribeDelay: 200 };
    const subscription = this.#client.newSubscription(channel, delta ? { delta: 'fossil', ...again } : again);
    subscription.on('publication', ({ data }) => this.#read(data as Document));
    subscription.on('error', () => {});
    subscription.on('unsubscribed', ({ code }) => {
      if (code > 0) this.faults.push(`unsubscribed with ${code}`);
    });
    subscription.subscribe();
    this.#client.connect();
  }

  async ready(): Promise<void> {
    for (const subscription of Object.values(this.#client.subscriptions())) await subscription.ready(60_000);
  }

  close(): void {
    this.#client.disconnect();
  }

  #read(document: Document): void {
    const { text, status } = document;
    if (!this.#written().startsWith(text)) this.faults.push(`no prefix: …${text.slice(-40)}`);
    const { newest } = this;
    // A message that the store lost opens again and may be shorter, but never after its end.
    if (newest !== null && newest.id === document.id && newest.status !== 'streaming' && text !== newest.text)
      this.faults.push('a state after the end');
    if (status !== 'streaming') this.ends++;
    this.newest = document;
  }
}
