import { type Codec, type Encoding, jsonCodec, protobufCodec } from '@msg/protocol';
import { BINARY, clientFrame, serverFrame, TEXT, upgradeRequest } from './websocket.ts';

/** How the connections of a load subscribe. */
export interface Subscribing {
  readonly encoding: Encoding;
  /** Connection i subscribes to channel i modulo this. */
  readonly channels: number;
  /** Negotiate fossil deltas. */
  readonly delta: boolean;
}

/** The bytes of one kind of subscriber. */
export class SubscriberBytes {
  readonly codec: Codec;
  readonly upgrade: Buffer;
  /** A ping as it arrives, and its pong as it is sent. */
  readonly ping: Buffer;
  readonly pong: Buffer;
  readonly #opcode: number;
  readonly #delta: string;

  constructor({ encoding, delta }: Subscribing) {
    this.codec = encoding === 'json' ? jsonCodec : protobufCodec;
    this.#opcode = encoding === 'json' ? TEXT : BINARY;
    this.#delta = delta ? 'fossil' : '';
    this.upgrade = upgradeRequest(encoding === 'json' ? null : 'centrifuge-protobuf');
    this.ping = serverFrame(this.#opcode, this.codec.ping);
    this.pong = clientFrame(this.#opcode, this.codec.pong);
  }

  /** Connect and subscribe in one frame. */
  hello(channel: string): Buffer {
    const commands = [
      this.codec.encodeCommand({ id: 1, connect: {} }),
      this.codec.encodeCommand({ id: 2, subscribe: { channel, delta: this.#delta } }),
    ];
    return clientFrame(this.#opcode, this.codec.join(commands));
  }

  /** Does a frame with this payload hold the reply to the subscribe? Throws when the server refused. */
  answersSubscribe(payload: Uint8Array): boolean {
    const reader = this.codec.replies(payload);
    for (let reply = reader.next(); reply !== null; reply = reader.next()) {
      if (reply.error) throw new Error(`refused: ${reply.error.code} ${reply.error.message}`);
      if (reply.id === 2) return true;
    }
    return false;
  }
}
