import { type Codec, jsonCodec, protobufCodec, type Reply, ReplyStream } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import type { Options } from 'centrifuge';
import { BrowserLikeEventSource, browserLikeFetch } from './browser-like-http.ts';
import { BrowserLikeSocket } from './browser-like-socket.ts';
import { listenIn } from './chromium-transport.ts';
import type { Stock } from './stock-clients.ts';

const TAP = Symbol('tap');

/** The name under which connections of a client with these options are listened to over WebTransport; '' for none. */
export function tapOf(options: Partial<Options>): string {
  return TAP in options ? String(options[TAP]) : '';
}

/** What a stock client sees on its connections, and control over what it says. */
export class WireTap {
  /** For the client. */
  readonly options: Partial<Options>;
  /** Everything received, on all connections of the client. */
  readonly replies: Reply[] = [];
  /** WebSocket ping frames received. */
  pingFrames = 0;
  /** Pongs sent. */
  pongs = 0;
  /** While true, pongs do not leave the client. */
  muted = false;
  readonly #codec: Codec;

  /** Listens in on a client of this kind. */
  constructor(stock: Stock) {
    this.#codec = stock.encoding === 'json' ? jsonCodec : protobufCodec;
    if (stock.transport === 'websocket') this.options = this.#onSocket();
    else this.options = stock.transport === 'webtransport' ? this.#onWebTransport() : this.#onHttp();
  }

  /** Pings among the replies. */
  get pings(): number {
    return this.replies.filter(({ id, push }) => id === 0 && push === null).length;
  }

  /** Waits for what is received to make the condition true. */
  until(what: string, holds: () => boolean): Promise<void> {
    return eventually(what, holds);
  }

  #received(frame: Uint8Array): void {
    const reader = this.#codec.replies(frame);
    for (let reply = reader.next(); reply !== null; reply = reader.next()) this.replies.push(reply);
  }

  /** Notes a frame on its way out; false: it must not leave. */
  #mayLeave(frame: Uint8Array): boolean {
    if (!Buffer.from(frame).equals(this.#codec.join([this.#codec.pong]))) return true;
    if (this.muted) return false;
    this.pongs++;
    return true;
  }

  #onSocket(): Partial<Options> {
    const tap = this;
    return {
      websocket: class extends BrowserLikeSocket {
        constructor(url: string, subprotocol?: string) {
          super(url, subprotocol);
          this.on('ping', () => {
            tap.pingFrames++;
          });
          this.on('message', data => tap.#received(new Uint8Array(data as ArrayBuffer))); // Buffer or ArrayBuffer
        }

        override send(frame: string | Uint8Array): void {
          if (tap.#mayLeave(Buffer.from(frame))) super.send(frame);
        }
      },
    };
  }

  #onWebTransport(): Partial<Options> {
    const stream = new ReplyStream(this.#codec.encoding);
    const name = listenIn({
      received: bytes => {
        stream.push(bytes);
        for (let reply = stream.next(); reply !== null; reply = stream.next()) this.replies.push(reply);
      },
      // Lines end with a newline that frames of one command do without.
      mayLeave: bytes => this.#mayLeave(bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes),
    });
    return { [TAP]: name } as Partial<Options>; // the test server takes it out of the options
  }

  #onHttp(): Partial<Options> {
    const tap = this;
    return {
      fetch: async (input: string, init: { readonly body: string | Uint8Array }) => {
        if (!input.endsWith('/emulation')) return tap.#listening(await browserLikeFetch(input, init));
        const { data } = tap.#codec.decodeEmulation(Buffer.from(init.body));
        if (tap.#mayLeave(tap.#codec.emulationFrame(data))) return browserLikeFetch(input, init);
        return new Response(null, { status: 204 });
      },
      eventsource: class extends BrowserLikeEventSource {
        constructor(url: string) {
          super(url, data => tap.#received(Buffer.from(data)));
        }
      },
    };
  }

  #listening(response: Response): Response {
    if (response.body === null) return response;
    const [heard, passed] = response.body.tee();
    const stream = new ReplyStream(this.#codec.encoding);
    const listen = async (): Promise<void> => {
      for await (const piece of heard) {
        stream.push(piece);
        for (let reply = stream.next(); reply !== null; reply = stream.next()) this.replies.push(reply);
      }
    };
    listen().catch(() => {}); // the client aborts its streams
    return new Response(passed, { status: response.status, headers: response.headers });
  }
}
