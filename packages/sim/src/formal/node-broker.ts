import type { Broker, BrokerEvents, HistoryFilter, HistoryResult, PublishResult } from '@msg/engine';
import type { Payload } from '@msg/protocol';
import { epochName, type FormalStore, type Pub, publicationOf } from './store.ts';

/** The one channel. */
export const CHANNEL = 'news';

/** A read of a subscribe, which the world takes and answers when it likes. */
export class HeldRead {
  readonly #store: FormalStore;
  readonly #after: number;
  readonly #answer: (result: HistoryResult) => void;
  #result: HistoryResult | null = null;

  constructor(store: FormalStore, after: number, answer: (result: HistoryResult) => void) {
    this.#store = store;
    this.#after = after;
    this.#answer = answer;
  }

  get taken(): boolean {
    return this.#result !== null;
  }

  take(): void {
    this.#result = this.#store.read(this.#after);
  }

  answer(): void {
    this.#answer(this.#result ?? this.#store.read(this.#after));
  }
}

/** What a node has of the store. Nothing arrives, and no subscribe goes on, before the world lets it. */
export class NodeBroker implements Broker {
  readonly #store: FormalStore;
  readonly #published: (pub: Pub) => void;
  #events: BrokerEvents | null = null;
  #confirm: (() => void) | null = null;
  /** What is on its way, oldest first. */
  wire: readonly Pub[] = [];
  listening = false;
  /** The epoch that a check of positions has asked to renew; the world lets that happen. */
  toRenew: string | null = null;
  /** Reads of subscribes that the world has not seen yet. */
  newReads: HeldRead[] = [];
  /** The last publication that arrived. */
  #last: Pub | null = null;

  constructor(store: FormalStore, published: (pub: Pub) => void) {
    this.#store = store;
    this.#published = published;
  }

  /** The node has asked to be subscribed, and waits. */
  get pending(): boolean {
    return this.#confirm !== null;
  }

  confirm(): void {
    this.listening = true;
    this.#confirm?.();
    this.#confirm = null;
  }

  /** The oldest that is on its way arrives. One that does not rise is looked at: the stream may have been rewound. */
  deliver(): void {
    const [pub, ...rest] = this.wire;
    if (pub === undefined) return;
    this.wire = rest;
    const last = this.#last;
    const position = { offset: pub.offset, epoch: epochName(pub.epoch) };
    this.#last = pub;
    this.#events?.publication(CHANNEL, publicationOf(pub), position, false, null, false);
    if (last !== null && pub.epoch === last.epoch && pub.offset <= last.offset) this.#look(last);
  }

  lose(): void {
    this.wire = this.wire.slice(1);
  }

  /** The connection was lost and is there again. */
  reconnect(): void {
    this.wire = [];
    if (this.#last !== null) this.#look(this.#last);
    this.#events?.restored?.([CHANNEL]);
  }

  async start(events: BrokerEvents): Promise<void> {
    this.#events = events;
  }

  async stop(): Promise<void> {
    this.#events = null;
  }

  subscribe(): Promise<void> {
    return new Promise(resolve => {
      this.#confirm = resolve;
    });
  }

  async unsubscribe(): Promise<void> {
    this.listening = false;
    this.wire = [];
    this.#last = null;
  }

  publish(_channel: string, data: Payload): PublishResult {
    const pub = this.#store.append(Number(Buffer.from(data.bytes).toString()));
    this.#published(pub);
    return { offset: pub.offset, epoch: epochName(pub.epoch), suppressed: false };
  }

  async publishJoin(): Promise<void> {}

  async publishLeave(): Promise<void> {}

  /** Position checks read the top alone and do not wait. */
  history(_channel: string, { since, limit }: HistoryFilter): Promise<HistoryResult> {
    if (limit === 0) return Promise.resolve(this.#store.read(null));
    return new Promise(resolve => {
      this.newReads.push(new HeldRead(this.#store, since?.offset ?? 0, resolve));
    });
  }

  async removeHistory(): Promise<void> {}

  async renewEpoch(_channel: string, seen: string): Promise<void> {
    this.toRenew = seen;
  }

  async removeStream(): Promise<void> {}

  #look(last: Pub): void {
    if (this.#store.isRewound(last)) this.#store.renew();
  }
}
