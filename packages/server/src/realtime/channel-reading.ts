import type { Disconnect, InProcessConnection, Publication, Push, RealtimeNode } from '@msg/engine';
import { CHANNEL_GONE } from './bridge.ts';
import { SUBSCRIPTION_EXPIRED } from './replies.ts';

/** Why nothing more comes: the channel is gone, the right to read it is over, or the connection ended. */
export type ReadingEnd = 'deleted' | 'expired' | 'closed';

export interface ReadingOptions {
  readonly channel: string;
  /** Access token; empty for a public channel. */
  readonly token: string;
  /** Address of whoever reads. */
  readonly remoteAddress: string;
  /** First offset wanted of what the history still holds; 0: only what is published from now on. */
  readonly from: number;
  /** Bytes of live publications that may wait for the reader to catch up with the history. */
  readonly waitingBytes: number;
}

export interface ReadingEvents {
  /** Answers false when the reader cannot take more at the moment; of the history the rest then waits. */
  publication(publication: Publication): boolean;
  /** Resolves when the reader takes more, or never will. */
  writable(): Promise<void>;
  /** Called once, with nothing after it. */
  ended(why: ReadingEnd): void;
}

const CONNECTION_EXPIRED = 3005;

/**
 * One channel read inside this process: a connection of the engine like any other, so its reader counts as a
 * subscriber and is refused, expired and cut like one. The history comes first, without gap or repetition before what
 * is live. Source: messaging details 11.1.
 */
export class ChannelReading {
  readonly #node: RealtimeNode;
  readonly #options: ReadingOptions;
  #connection: InProcessConnection | null = null;
  #events: ReadingEvents | null = null;
  /** What arrived before the history was read out; `null` once the reader is live. */
  #early: Publication[] | null = [];
  #earlyBytes = 0;
  #end: ReadingEnd | null = null;

  private constructor(node: RealtimeNode, options: ReadingOptions) {
    this.#node = node;
    this.#options = options;
  }

  /** Connects and subscribes. Rejects with the engine's `ReplyError` or `Disconnect`. */
  static async open(node: RealtimeNode, options: ReadingOptions): Promise<ChannelReading> {
    const reading = new ChannelReading(node, options);
    const { channel, token, remoteAddress } = options;
    const connection = await node.connect({
      token,
      name: 'sse',
      remoteAddress,
      onPush: push => reading.#pushed(push),
      onClosed: disconnect => reading.#closed(disconnect),
    });
    reading.#connection = connection;
    try {
      await connection.subscribe(channel);
    } catch (error) {
      connection.disconnect();
      throw error;
    }
    return reading;
  }

  /** Hands out the history wanted, then everything that is published. Rejects when the history cannot be read. */
  async start(events: ReadingEvents): Promise<void> {
    this.#events = events;
    const last = await this.#replay(events);
    const early = this.#early ?? [];
    this.#early = null;
    for (const publication of early) {
      if (publication.offset === 0 || publication.offset > last) events.publication(publication);
    }
    if (this.#end !== null) events.ended(this.#end);
  }

  /** Stops reading. Safe to call again. */
  close(): void {
    this.#events = null;
    this.#early = null;
    this.#connection?.disconnect();
  }

  /** Answers the last offset handed out. */
  async #replay(events: ReadingEvents): Promise<number> {
    const { channel, from } = this.#options;
    if (from === 0) return 0;
    const { publications } = await this.#node.history(channel, { limit: -1 });
    let last = 0;
    for (const publication of publications) {
      if (publication.offset < from) continue;
      if (this.#events === null || this.#end !== null) break;
      last = publication.offset;
      if (!events.publication(publication)) await events.writable();
    }
    return last;
  }

  #pushed({ pub, unsubscribe }: Push): void {
    if (pub !== null) this.#published(pub);
    else if (unsubscribe !== null) {
      const { code } = unsubscribe;
      if (code === CHANNEL_GONE.code) this.#finish('deleted');
      else this.#finish(code === SUBSCRIPTION_EXPIRED.code ? 'expired' : 'closed');
    }
  }

  #published(publication: Publication): void {
    if (this.#early === null) {
      this.#events?.publication(publication);
      return;
    }
    this.#early.push(publication);
    this.#earlyBytes += publication.data.bytes.length;
    if (this.#earlyBytes > this.#options.waitingBytes) this.#finish('closed');
  }

  #closed({ code }: Disconnect): void {
    this.#finish(code === CONNECTION_EXPIRED ? 'expired' : 'closed');
  }

  /** Whoever is still reading the history learns of the end after it. */
  #finish(why: ReadingEnd): void {
    if (this.#end !== null) return;
    this.#end = why;
    this.#connection?.disconnect();
    if (this.#early === null) this.#events?.ended(why);
  }
}
