import { Centrifuge, type Options } from 'centrifuge';
import { Centrifuge as Centrifuge57 } from 'centrifuge-5.7.4';
import { WebSocket } from 'ws';

type CentrifugeClass = new (endpoint: string, options: Partial<Options>) => Centrifuge;

/** The stock clients. Their classes differ in private members only, which makes their types unrelated. */
export const VERSIONS: readonly { readonly version: string; readonly Client: CentrifugeClass }[] = [
  { version: '5.8.0', Client: Centrifuge },
  { version: '5.7.4', Client: Centrifuge57 as unknown as CentrifugeClass },
];

/** More than any channel of the test keeps. */
const WHOLE_HISTORY = 1000;

/** An application with a stock client on one channel: it keeps what it has, and reads it anew when it hears of a loss. */
export class Application {
  /** Each subscribe after the first: whether the client was told that it has missed nothing. */
  readonly resubscribes: { readonly wasRecovering: boolean; readonly recovered: boolean }[] = [];
  readonly #texts = new Map<number, string>();
  readonly #client: Centrifuge;
  readonly #ready: Promise<void>;
  #url: string;

  constructor(Client: CentrifugeClass, url: string, channel: string) {
    this.#url = url;
    const urlNow = (): string => this.#url;
    this.#client = new Client(url, {
      // 5.7.4 needs each message in an event of its own, as browsers have it.
      websocket: class extends WebSocket {
        constructor() {
          super(urlNow(), { allowSynchronousEvents: false });
        }
      },
      minReconnectDelay: 20,
      maxReconnectDelay: 200,
    });
    this.#client.on('error', () => {});
    const subscription = this.#client.newSubscription(channel, {
      minResubscribeDelay: 20,
      maxResubscribeDelay: 200,
    });
    subscription.on('error', () => {});
    subscription.on('publication', ({ offset = 0, data }) => this.#texts.set(offset, data.text));
    let isFirst = true;
    subscription.on('subscribed', ({ wasRecovering, recovered }) => {
      if (!isFirst) this.resubscribes.push({ wasRecovering, recovered });
      isFirst = false;
      if (wasRecovering && !recovered) void this.#reload(subscription);
    });
    subscription.subscribe();
    this.#client.connect();
    this.#ready = subscription.ready(60_000);
  }

  /** Resolves once it is subscribed for the first time. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** What it has, by offset. */
  get texts(): readonly string[] {
    return [...this.#texts].sort(([a], [b]) => a - b).map(([, text]) => text);
  }

  /** It was told, as long as it has something to lose, that publications are lost. */
  get heardOfLoss(): boolean {
    return this.resubscribes.some(({ wasRecovering, recovered }) => wasRecovering && !recovered);
  }

  /** Its next connections lead there. */
  moveTo(url: string): void {
    this.#url = url;
  }

  leave(): void {
    this.#client.disconnect();
  }

  comeBack(url: string): void {
    this.moveTo(url);
    this.#client.connect();
  }

  /** Until it works: the store may be away just now. */
  async #reload(subscription: ReturnType<Centrifuge['newSubscription']>): Promise<void> {
    this.#texts.clear();
    for (let isRead = false; !isRead; ) {
      isRead = await subscription.history({ limit: WHOLE_HISTORY }).then(
        ({ publications }) => {
          for (const { offset = 0, data } of publications) this.#texts.set(offset, data.text);
          return true;
        },
        () => false,
      );
      // Another loss begins another reading.
      if (subscription.state !== 'subscribed') return;
    }
  }
}
