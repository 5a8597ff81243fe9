import type { Clock } from '@msg/foundation/clock';
import {
  type CommandEnvelope,
  type Init,
  type Push,
  protobufCodec,
  REPLY_DECODE_LIMITS,
  type Reply,
  ReplyStream,
  type SubscribeRequest,
  type SubscribeResult,
} from '@msg/protocol';
import { Disconnect, disconnect, NORMAL_CLOSURE, ReplyError } from '../errors.ts';
import type { TransportInfo } from '../policy.ts';
import type { Acceptor, Framing, Transport, TransportEvents } from './contract.ts';

/** What a connection inside the process is opened with. */
export interface InProcessOptions {
  /** Handed to `policy.connect` and, through the transport, to every hook. */
  readonly token?: string;
  /** Shown to hooks as `transport.credential`: a right that the application has verified. */
  readonly credential?: unknown;
  readonly data?: Uint8Array;
  /** Application name for `policy.connect`. */
  readonly name?: string;
  /** Address of the client that this connection serves; default empty. */
  readonly remoteAddress?: string;
  /** Everything the server pushes, in order. */
  readonly onPush: (push: Push) => void;
  /** The connection is over. Called once. */
  readonly onClosed?: (disconnect: Disconnect) => void;
}

const NOTHING = new Uint8Array(0);
const BARE = { before: NOTHING, after: NOTHING };

/** Payloads travel as they are, and frames are shared with Protobuf connections of equal framing. */
const FRAMING: Framing = {
  key: 4,
  codec: protobufCodec,
  frame: messages => protobufCodec.join(messages),
  envelope: () => BARE,
};

/**
 * A connection without a socket: for what reads channels inside the process. It is a client like any other, so a
 * consumer that pauses too long is cut with 3008.
 */
export class InProcessConnection implements Transport {
  readonly info: TransportInfo;
  readonly framing = FRAMING;
  readonly emulated = false;
  readonly announcesDisconnect = false;
  /** Nothing can get lost on the way: no pings. */
  readonly ping = (): void => this.#events?.pongReceived();
  readonly #clock: Clock;
  readonly #onPush: (push: Push) => void;
  readonly #onClosed: (disconnect: Disconnect) => void;
  readonly #replies = new Map<number, { resolve(reply: Reply): void; reject(error: unknown): void }>();
  /** Large frames come in pieces. */
  readonly #stream = new ReplyStream('protobuf', {
    ...REPLY_DECODE_LIMITS,
    messageBytes: Number.MAX_SAFE_INTEGER,
  });
  #events: TransportEvents | null = null;
  #lastId = 0;
  #paused = false;
  /** A reply was handed to its caller, who goes first: what follows it waits for the next turn. */
  #yielding = false;
  /** Why the connection is ending; set once. */
  #ending: Disconnect | null = null;
  #finished = false;

  private constructor(options: InProcessOptions, clock: Clock) {
    this.#clock = clock;
    this.info = {
      name: 'in_process',
      encoding: 'protobuf',
      remoteAddress: options.remoteAddress ?? '',
      headers: {},
      credential: options.credential,
    };
    this.#onPush = options.onPush;
    this.#onClosed = options.onClosed ?? (() => {});
  }

  /** Connects to a node. Rejects with the policy's `ReplyError` or `Disconnect`. */
  static async open(
    acceptor: Acceptor,
    options: InProcessOptions,
    clock: Clock,
  ): Promise<InProcessConnection> {
    if (!acceptor.reserve()) throw disconnect.shutdown();
    const connection = new InProcessConnection(options, clock);
    connection.#events = acceptor.open(connection);
    const { token = '', data, name = 'in_process' } = options;
    try {
      await connection.#request({ connect: { token, data, name } });
    } catch (error) {
      connection.close(NORMAL_CLOSURE, 'connect refused');
      throw error;
    }
    return connection;
  }

  /** Subscribes as a client does. Rejects with `ReplyError` when refused, `Disconnect` when the connection ends. */
  async subscribe(channel: string, request: Init<SubscribeRequest> = {}): Promise<SubscribeResult> {
    const { subscribe } = await this.#request({ subscribe: { ...request, channel } });
    if (subscribe === null) throw disconnect.badRequest();
    return subscribe;
  }

  async unsubscribe(channel: string): Promise<void> {
    await this.#request({ unsubscribe: { channel } });
  }

  /** Stops taking pushes; what arrives waits, up to the node's queue limit. */
  pausePushes(): void {
    this.#paused = true;
  }

  resumePushes(): void {
    this.#paused = false;
    this.#pump();
    if (!this.#paused) this.#events?.drained();
  }

  /** Ends the connection from the consumer's side. Safe to call again. */
  disconnect(): void {
    this.close(NORMAL_CLOSURE, 'disconnect');
  }

  // The session's side:

  write(bytes: Uint8Array): boolean {
    this.#stream.push(bytes);
    this.#pump();
    return !this.#paused;
  }

  bufferedBytes(): number {
    return this.#paused ? this.#stream.waiting : 0;
  }

  pause(): void {}

  resume(): void {}

  close(code: number, reason: string): void {
    if (this.#ending !== null) return;
    this.#ending = new Disconnect(code, reason);
    // As with a socket: what was written is read first, and the session learns of the end in a turn of its own.
    this.#clock.afterTurn(() => this.#pump());
  }

  destroy(code: number, reason: string): void {
    this.close(code, reason);
  }

  async #request(command: Init<CommandEnvelope>): Promise<Reply> {
    if (this.#ending !== null) throw disconnect.connectionClosed();
    const id = ++this.#lastId;
    const reply = new Promise<Reply>((resolve, reject) => this.#replies.set(id, { resolve, reject }));
    this.#events?.received(protobufCodec.encodeCommand({ ...command, id }));
    const answer = await reply;
    if (answer.error === null) return answer;
    throw new ReplyError(answer.error.code, answer.error.message, answer.error.temporary);
  }

  #pump(): void {
    while (!this.#paused && !this.#yielding) {
      const reply = this.#stream.next();
      if (reply === null) break;
      if (reply.push !== null) this.#onPush(reply.push);
      else this.#answer(reply);
    }
    if (this.#ending !== null && !this.#yielding) this.#finish(this.#ending);
  }

  #finish(ending: Disconnect): void {
    if (this.#finished) return;
    this.#finished = true;
    for (const { reject } of this.#replies.values()) reject(ending);
    this.#replies.clear();
    this.#events?.transportClosed();
    this.#onClosed(ending);
  }

  #answer(reply: Reply): void {
    this.#replies.get(reply.id)?.resolve(reply);
    this.#replies.delete(reply.id);
    this.#yielding = true;
    this.#clock.afterTurn(() => {
      this.#yielding = false;
      this.#pump();
    });
  }
}
