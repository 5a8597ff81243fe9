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

/** Why the reading ended: the channel was deleted, the right to read it expired, or the connection ended. */
export type ReaderEnd = 'deleted' | 'expired' | 'closed';

export interface ChannelReaderOptions {
  readonly channel: string;
  /** The token that was verified; null for a public channel. */
  readonly token: VerifiedToken | null;
  /** Address of the reader. */
  readonly remoteAddress: string;
  /** First offset to read from the history; 0: only new publications. */
  readonly from: number;
  /** Bytes of live publications that may wait while the reader reads the history; a single one may be larger. */
  readonly waitingBytes: number;
}

export interface ReadingEvents {
  /** A new publication, which does not wait for a slow reader. */
  live(publication: Publication): void;
  /** A publication of the history. Returns false when the reader takes no more for now; the next one then waits. */
  earlier(publication: Publication): boolean;
  /** Resolves when the reader takes more or has ended. */
  writable(): Promise<void>;
  /** Called once, as the last event. */
  ended(why: ReaderEnd): void;
}

/** Publications of the history that are read at a time, and that a slow reader holds. */
const PAGE = 16;

/**
 * Reads one channel inside this process through a connection of the engine, so the reader counts as a subscriber and is
 * refused, expired and disconnected like one. The history comes first, then live publications without gap or repetition.
 * Source: messaging details 11.1.
 */
export class ChannelReader {
  readonly #node: RealtimeNode;
  readonly #options: ChannelReaderOptions;
  #connection: InProcessConnection | null = null;
  #events: ReadingEvents | null = null;
  /** Publications that arrived while the history is read; `null` once the reader is live. */
  #buffered: Publication[] | null = [];
  #bufferedBytes = 0;
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

  /** Passes the requested history, then every publication. Rejects when the history cannot be read. */
  async start(events: ReadingEvents): Promise<void> {
    this.#events = events;
    const last = await this.#replay(events);
    for (let buffered = this.#buffered?.shift(); buffered !== undefined; buffered = this.#buffered?.shift()) {
      this.#bufferedBytes -= buffered.data.bytes.length;
      const isNew = buffered.offset === 0 || buffered.offset > last;
      if (isNew && !events.earlier(buffered)) await events.writable();
    }
    this.#buffered = null;
    if (this.#end !== null) this.#events?.ended(this.#end);
  }

  /** Stops reading. Safe to call again. */
  close(): void {
    this.#events = null;
    this.#buffered = null;
    this.#connection?.disconnect();
  }

  /** Returns the last offset that was passed. */
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
        // A publication that was trimmed during the reading is a gap; a gap before the first one is not.
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
    if (this.#buffered === null) {
      this.#events?.live(publication);
      return;
    }
    this.#buffered.push(publication);
    const { length } = publication.data.bytes;
    this.#bufferedBytes += length;
    // As on a socket, a single waiting publication may have any size.
    const isAlone = this.#bufferedBytes === length;
    if (this.#bufferedBytes > this.#options.waitingBytes && !isAlone) this.#finish('closed');
  }

  #closed({ code }: Disconnect): void {
    this.#finish(code === DisconnectCode.ConnectionExpired ? 'expired' : 'closed');
  }

  /** A caller that still reads the history gets the end after it. */
  #finish(why: ReaderEnd): void {
    if (this.#end !== null) return;
    this.#end = why;
    this.#connection?.disconnect();
    if (this.#buffered === null) this.#events?.ended(why);
  }
}
