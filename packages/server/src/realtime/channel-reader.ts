import {
  type Disconnect,
  DisconnectCode,
  type InProcessConnection,
  type Publication,
  type Push,
  type RealtimeNode,
  UnsubscribeCode,
} from '@msg/engine';
import type { VerifiedToken } from '../auth/tokens/claims.ts';

/** Why nothing more comes: the channel is gone, the right to read it is over, or the connection ended. */
export type ReaderEnd = 'deleted' | 'expired' | 'closed';

export interface ChannelReaderOptions {
  readonly channel: string;
  /** The token that was verified; null for a public channel. */
  readonly token: VerifiedToken | null;
  /** Address of the reader. */
  readonly remoteAddress: string;
  /** First offset wanted of what the history still holds; 0: only what is published from now on. */
  readonly from: number;
  /** Bytes of live publications that may wait for the reader to catch up with the history; one alone may be larger. */
  readonly waitingBytes: number;
}

export interface ReadingEvents {
  /** Published just now: it cannot wait here, however slow the reader is. */
  live(publication: Publication): void;
  /** Published earlier. Answers false when the reader cannot take more at the moment; the next one then waits. */
  earlier(publication: Publication): boolean;
  /** Resolves when the reader takes more, or never will. */
  writable(): Promise<void>;
  /** Called once, with nothing after it. */
  ended(why: ReaderEnd): void;
}

/** Publications of the history read at a time: what one reader that is slow holds of it. */
const PAGE = 16;

/**
 * One channel read inside this process: a connection of the engine like any other, so its reader counts as a
 * subscriber and is refused, expired and cut like one. The history comes first, without gap or repetition before what
 * is live. Source: messaging details 11.1.
 */
export class ChannelReader {
  readonly #node: RealtimeNode;
  readonly #options: ChannelReaderOptions;
  #connection: InProcessConnection | null = null;
  #events: ReadingEvents | null = null;
  /** What arrived before the history was read out; `null` once the reader is live. */
  #early: Publication[] | null = [];
  #earlyBytes = 0;
  #end: ReaderEnd | null = null;

  private constructor(node: RealtimeNode, options: ChannelReaderOptions) {
    this.#node = node;
    this.#options = options;
  }

  /** Connects and subscribes. Rejects with the engine's `ReplyError` or `Disconnect`. */
  static async open(node: RealtimeNode, options: ChannelReaderOptions): Promise<ChannelReader> {
    const reading = new ChannelReader(node, options);
    const { channel, token, remoteAddress } = options;
    const connection = await node.connect({
      credential: token,
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
    for (let early = this.#early?.shift(); early !== undefined; early = this.#early?.shift()) {
      this.#earlyBytes -= early.data.bytes.length;
      const isNew = early.offset === 0 || early.offset > last;
      if (isNew && !events.earlier(early)) await events.writable();
    }
    this.#early = null;
    if (this.#end !== null) this.#events?.ended(this.#end);
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
    let last = from - 1;
    let handedOut = 0;
    let firstEpoch: string | null = null;
    for (;;) {
      const since = { offset: last, epoch: '' };
      const { publications, epoch } = await this.#node.history(channel, { limit: PAGE, since });
      firstEpoch ??= epoch;
      for (const publication of publications) {
        if (this.#events === null || this.#end !== null) return handedOut;
        // What was trimmed while the reader took its time is a hole; before the first one nothing was promised.
        const isHole = epoch !== firstEpoch || (handedOut > 0 && publication.offset !== last + 1);
        if (isHole) {
          this.#finish('closed');
          return handedOut;
        }
        last = publication.offset;
        handedOut = last;
        if (!events.earlier(publication)) await events.writable();
      }
      if (publications.length < PAGE) return handedOut;
    }
  }

  #pushed({ pub, unsubscribe }: Push): void {
    if (pub !== null) this.#published(pub);
    else if (unsubscribe !== null) {
      const { code } = unsubscribe;
      if (code === UnsubscribeCode.ServerUnsubscribe) this.#finish('deleted');
      else this.#finish(code === UnsubscribeCode.SubscriptionExpired ? 'expired' : 'closed');
    }
  }

  #published(publication: Publication): void {
    if (this.#early === null) {
      this.#events?.live(publication);
      return;
    }
    this.#early.push(publication);
    const { length } = publication.data.bytes;
    this.#earlyBytes += length;
    // As on a socket: what waits alone may have any size.
    const isAlone = this.#earlyBytes === length;
    if (this.#earlyBytes > this.#options.waitingBytes && !isAlone) this.#finish('closed');
  }

  #closed({ code }: Disconnect): void {
    this.#finish(code === DisconnectCode.ConnectionExpired ? 'expired' : 'closed');
  }

  /** A caller that still reads the history learns of the end after it. */
  #finish(why: ReaderEnd): void {
    if (this.#end !== null) return;
    this.#end = why;
    this.#connection?.disconnect();
    if (this.#early === null) this.#events?.ended(why);
  }
}
