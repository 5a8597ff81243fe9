import { type Codec, type Encoding, jsonCodec, protobufCodec } from '@msg/protocol';
import { BINARY, clientFrame, serverFrame, TEXT, upgradeRequest } from './websocket.ts';

/** How the connections of a load subscribe. */
export interface Subscribing {
  readonly encoding: Encoding;
  /** Connection i subscribes to channel i modulo this. */
  readonly channels: number;
  /** All subscribe to this one instead. */
  readonly channel?: string;
  /** Negotiate fossil deltas. */
  readonly delta: boolean;
  /** Connection i connects with access token i modulo their number; none: without a token. */
  readonly tokens?: readonly string[];
  /** Over a held HTTP response, which nothing is sent back to; default: WebSocket. */
  readonly overHttp?: boolean;
}

/** The bytes of one kind of subscriber. */
export class SubscriberBytes {
  readonly codec: Codec;
  readonly upgrade: Buffer;
  /** A ping as it arrives, and its pong as it is sent. */
  readonly ping: Buffer;
  readonly pong: Buffer;
  readonly #opcode: number;
  readonly overHttp: boolean;
  readonly #delta: string;

  constructor({ encoding, delta, overHttp = false }: Subscribing) {
    this.overHttp = overHttp;
    this.codec = encoding === 'json' ? jsonCodec : protobufCodec;
    this.#opcode = encoding === 'json' ? TEXT : BINARY;
    this.#delta = delta ? 'fossil' : '';
    this.upgrade = upgradeRequest(encoding === 'json' ? null : 'centrifuge-protobuf');
    this.ping = serverFrame(this.#opcode, this.codec.ping);
    this.pong = clientFrame(this.#opcode, this.codec.pong);
  }

  /** Connect and subscribe in one frame. */
  hello(channel: string, token = ''): Buffer {
    return clientFrame(this.#opcode, this.#commands(channel, token));
  }

  /** A request that opens a stream of JSON lines with both commands. */
  streamRequest(channel: string): Buffer {
    const body = this.#commands(channel);
    const head = `POST /connection/http_stream HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), body]);
  }

  #commands(channel: string, token = ''): Uint8Array {
    return this.codec.join([
      this.codec.encodeCommand({ id: 1, connect: token === '' ? {} : { token } }),
      this.codec.encodeCommand({ id: 2, subscribe: { channel, delta: this.#delta } }),
    ]);
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
