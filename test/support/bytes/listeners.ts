import type { Centrifuge, PublicationContext, Subscription, SubscriptionOptions } from 'centrifuge';
import type { Stock } from '../../../packages/engine/test/stock/stock-clients.ts';
import { EventReader } from '../../../packages/server/test/support/event-reader.ts';
import type { Payload } from './payloads.ts';

const FAULTS_SHOWN = 5;

/** Compares what one listener of a channel receives with what was published: the payloads, again and again. */
export class Comparison {
  readonly name: string;
  readonly faults: string[] = [];
  /** Publications that came in the right order with the right data. */
  right = 0;
  readonly #payloads: readonly Payload[];
  #next = 1;

  constructor(name: string, payloads: readonly Payload[]) {
    this.name = name;
    this.#payloads = payloads;
  }

  /** The next publication that comes has this offset. */
  startAt(offset: number): void {
    this.#next = offset;
  }

  take(offset: number, isRight: (payload: Payload) => boolean): void {
    const payload = this.#payloads[(offset - 1) % this.#payloads.length] as Payload;
    if (offset !== this.#next) this.fail(`offset ${offset} came instead of ${this.#next}`);
    else if (isRight(payload)) this.right++;
    else this.fail(`offset ${offset} is not ${payload.shown}`);
    this.#next = offset + 1;
  }

  fail(fault: string): void {
    if (this.faults.length < FAULTS_SHOWN) this.faults.push(`${this.name}: ${fault}`);
  }
}

/** A stock client that listens to one channel. That it is disconnected or unsubscribed is a fault. */
export class StockListener {
  readonly comparison: Comparison;
  readonly #client: Centrifuge;
  readonly #channel: string;
  readonly #encoding: Stock['encoding'];
  readonly #options: Partial<SubscriptionOptions>;
  #subscription: Subscription | undefined;
  #isLeaving = false;

  constructor(
    client: Centrifuge,
    { name, encoding }: Pick<Stock, 'name' | 'encoding'>,
    channel: string,
    payloads: readonly Payload[],
    options: Partial<SubscriptionOptions> = {},
  ) {
    this.#client = client;
    this.#channel = channel;
    this.#encoding = encoding;
    this.#options = options;
    this.comparison = new Comparison(`${name}, ${channel}`, payloads);
    for (const event of ['connecting', 'disconnected'] as const) {
      client.on(event, ({ code, reason }) => this.#ended(`${event}: ${code} ${reason}`));
    }
  }

  /** Subscribes anew; answers when the reply, with all that it holds, is handed out. */
  async subscribe(): Promise<void> {
    const subscription = this.#client.newSubscription(this.#channel, this.#options);
    this.#subscription = subscription;
    subscription.on('publication', publication => this.#take(publication));
    subscription.on('unsubscribed', ({ code, reason }) => this.#ended(`unsubscribed: ${code} ${reason}`));
    await this.#leaving(async () => {
      this.#client.connect();
      subscription.subscribe();
      await subscription.ready(30_000);
    });
  }

  unsubscribe(): Promise<void> {
    return this.#leaving(async () => {
      if (this.#subscription !== undefined) this.#client.removeSubscription(this.#subscription);
    });
  }

  /** Is away, and comes back when `meanwhile` is over. Answers whether it recovered. */
  async away(meanwhile: Promise<unknown>): Promise<boolean> {
    const subscription = this.#subscription as Subscription;
    return this.#leaving(async () => {
      this.#client.disconnect();
      await meanwhile;
      const back = new Promise<boolean>(resolve => {
        subscription.once('subscribed', ({ recovered }) => resolve(recovered));
      });
      this.#client.connect();
      return back;
    });
  }

  /** Compares the history from its beginning up to an offset, page by page. */
  async readHistory(to: number): Promise<void> {
    const { epoch } = await this.#history({ limit: 0 });
    this.comparison.startAt(1);
    for (let offset = 0; offset < to; ) {
      const { publications } = await this.#history({ limit: 1000, since: { offset, epoch } });
      if (publications.length === 0) throw new Error(`${this.comparison.name}: no history after ${offset}`);
      for (const publication of publications) this.#take(publication);
      offset += publications.length;
    }
  }

  stop(): void {
    this.#isLeaving = true;
    this.#client.disconnect();
  }

  #history(options: Parameters<Subscription['history']>[0]): ReturnType<Subscription['history']> {
    return (this.#subscription as Subscription).history(options);
  }

  async #leaving<T>(work: () => Promise<T>): Promise<T> {
    this.#isLeaving = true;
    try {
      return await work();
    } finally {
      this.#isLeaving = false;
    }
  }

  #take({ offset, data, tags }: PublicationContext): void {
    const encoding = tags?.['msg-encoding'];
    // The Protobuf build of 5.7 has offsets of its own.
    this.comparison.take(Number(offset), payload =>
      this.#encoding === 'json' ? payload.isJson(data, encoding) : payload.isBytes(data, encoding),
    );
  }

  #ended(why: string): void {
    if (!this.#isLeaving) this.comparison.fail(why);
  }
}

/** A reader of `/sse`. */
export class EventListener {
  readonly comparison: Comparison;
  readonly #reader: EventReader;
  #read = 0;

  private constructor(reader: EventReader, comparison: Comparison) {
    this.#reader = reader;
    this.comparison = comparison;
  }

  /** `from`: the first offset wanted of the history; 0: only what is new. */
  static async open(
    url: string,
    channel: string,
    from: number,
    payloads: readonly Payload[],
  ): Promise<EventListener> {
    const reader = await EventReader.open(`${url}/sse?channel=${channel}&from_offset=${from}`);
    return new EventListener(reader, new Comparison(`/sse from ${from}, ${channel}`, payloads));
  }

  /** Compares what came since the last time. */
  compare(): void {
    for (; this.#read < this.#reader.events.length; this.#read++) {
      const event = JSON.parse(this.#reader.events[this.#read]?.data ?? '') as {
        readonly offset: number;
        readonly data: unknown;
        readonly encoding?: string;
      };
      this.comparison.take(event.offset, payload => payload.isJson(event.data, event.encoding));
    }
    if (this.#reader.ended) this.comparison.fail('the stream ended');
  }

  stop(): void {
    this.#reader.close();
  }
}
