import type { Framing, RealtimeNode, Transport, TransportEvents } from '@msg/engine';
import { type CommandEnvelope, type Init, protobufCodec, type Reply, ReplyStream } from '@msg/protocol';

const NOTHING = new Uint8Array(0);

const FRAMING: Framing = {
  key: 4,
  codec: protobufCodec,
  frame: messages => protobufCodec.join(messages),
  envelope: () => ({ before: NOTHING, after: NOTHING }),
};

/** A client without a socket: {@link send} runs a command of it before it returns, as far as nothing is waited for. */
export class DirectClient implements Transport {
  readonly info = { name: 'direct', encoding: 'protobuf', remoteAddress: '192.0.2.1', headers: {} } as const;
  readonly framing = FRAMING;
  readonly emulated = false;
  readonly announcesDisconnect = false;
  readonly ping = (): void => {};
  /** What arrived; the node flushes at the end of a turn. */
  readonly replies: Reply[] = [];
  closedWith = 0;
  readonly #events: TransportEvents;
  readonly #stream = new ReplyStream('protobuf');
  #lastId = 0;

  constructor(node: RealtimeNode) {
    this.#events = node.open(this);
  }

  send(command: Init<CommandEnvelope>): void {
    this.#events.received(protobufCodec.encodeCommand({ id: ++this.#lastId, ...command }));
  }

  write(bytes: Uint8Array): boolean {
    this.#stream.push(bytes);
    for (let reply = this.#stream.next(); reply !== null; reply = this.#stream.next())
      this.replies.push(reply);
    return true;
  }

  bufferedBytes(): number {
    return 0;
  }

  pause(): void {}
  resume(): void {}

  close(code: number): void {
    this.closedWith = code;
    this.#events.transportClosed();
  }

  destroy(code: number): void {
    this.close(code);
  }
}
