import { DisconnectCode, EncodeError, type Init, type Push, type Reply } from '@msg/protocol';
import { Batch } from '../delivery/batch.ts';
import { type Disconnect, errorReply } from '../errors.ts';
import type { PublicationList } from '../replies/publication-list.ts';
import { SharedReply } from '../replies/shared-reply.ts';
import { WheelTimer } from '../timers/timer-wheel.ts';
import type { Transport } from '../transports/contract.ts';
import type { NodeContext } from './context.ts';
import type { WriteQueue } from './write-queue.ts';

const NO_LISTS: readonly PublicationList[] = [];

/** How long queued bytes may still be written after the end, milliseconds. */
const FINISH_MS = 5000;

/** The connection whose messages are written. */
export interface WritingConnection {
  readonly context: Pick<NodeContext, 'encodedStreams' | 'limits' | 'replyBudget' | 'wheel'>;
  /** A message cannot be expressed in its encoding (client protocol 2.1). */
  onNotEncodable(): void;
}

/**
 * Writes the messages of one connection: encodes replies and pushes into the write queue, sends pings, and ends the
 * transport after the queued messages or at once.
 */
export class MessageWriter {
  readonly #session: WritingConnection;
  readonly #transport: Transport;
  readonly #queue: WriteQueue;

  constructor(session: WritingConnection, transport: Transport, queue: WriteQueue) {
    this.#session = session;
    this.#transport = transport;
    this.#queue = queue;
  }

  /** True when pings are protocol messages: the transport has no pings, and they are not turned off. */
  get pingsByMessage(): boolean {
    return this.#transport.ping === null && this.#session.context.limits.pingMs > 0;
  }

  /** How long the peer may take to answer a ping, milliseconds. */
  get pongMs(): number {
    const { pongMs, nativePongMs } = this.#session.context.limits;
    return this.#transport.ping === null ? pongMs : nativePongMs;
  }

  /** Sends one ping, as a message or by the transport. */
  ping(): void {
    const { framing, ping } = this.#transport;
    if (ping === null) this.#queue.push(new Batch(framing, framing.codec.ping));
    else ping();
  }

  /**
   * Queues a reply with the publications of its `lists`.
   * @throws ReplyError 111 as {@link requireReplyRoom} does
   */
  reply(reply: Init<Reply>, lists: readonly PublicationList[] = NO_LISTS): void {
    const { framing } = this.#transport;
    const shared = lists.length === 0 ? lists : lists.filter(list => list.isShared);
    if (shared.length > 0) this.requireReplyRoom();
    try {
      const message =
        shared.length === 0
          ? new Batch(framing, framing.codec.encodeReply(reply))
          : SharedReply.encode(framing, reply, shared, this.#session.context.encodedStreams);
      this.#queue.reply(message);
    } catch (error) {
      this.#notEncodable(error);
    }
  }

  /** @throws ReplyError 111, which clients retry, while long replies hold all memory they may have. */
  requireReplyRoom(): void {
    if (this.#session.context.replyBudget.hasRoom) return;
    throw errorReply.tooManyRequests();
  }

  /** Queues a push of this connection alone. */
  push(push: Init<Push>): void {
    try {
      this.#queue.push(this.#encode(push));
    } catch (error) {
      this.#notEncodable(error);
    }
  }

  /** Sends the disconnect, and closes the transport after the queued bytes (client protocol 6.5). */
  finish(ending: Disconnect): void {
    const { code, reason } = ending;
    const isTold = code !== DisconnectCode.ConnectionClosed;
    if (isTold && this.#transport.announcesDisconnect) this.push({ disconnect: { code, reason } });
    const { wheel } = this.#session.context;
    const late = new WheelTimer(() => this.destroy(ending));
    let over = false;
    this.#queue.finish(complete => {
      over = true;
      wheel.cancel(late);
      if (!complete) return;
      if (isTold) this.#transport.close(code, reason);
      else this.#transport.destroy(code, reason);
    });
    if (!over) wheel.schedule(late, FINISH_MS);
  }

  /** Drops the queue and closes the transport; a peer that still reads gets the reason. */
  abandon({ code, reason }: Disconnect): void {
    if (!this.#queue.discard()) {
      this.#transport.destroy(code, reason);
      return;
    }
    if (this.#transport.announcesDisconnect) {
      this.#transport.write(this.#encode({ disconnect: { code, reason } }).frame(), false);
    }
    this.#transport.close(code, reason);
  }

  /** Ends the transport at once. */
  destroy({ code, reason }: Disconnect): void {
    this.#queue.discard();
    this.#transport.destroy(code, reason);
  }

  #encode(push: Init<Push>): Batch {
    const { framing } = this.#transport;
    return new Batch(framing, framing.codec.encodePush(push));
  }

  #notEncodable(error: unknown): void {
    if (!(error instanceof EncodeError)) throw error;
    this.#session.onNotEncodable();
  }
}
