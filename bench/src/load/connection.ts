import { connect, type Socket } from 'node:net';
import type { SubscriberBytes } from './subscribe-request.ts';
import { readServerFrames } from './websocket.ts';

/** What one read takes. Reads are synchronous, so all connections share the buffer. */
const READ_BUFFER = Buffer.allocUnsafe(262_144);
const HEAD_END = '\r\n\r\n';

/** Takes what a connection received, within the read. */
type Reader = (chunk: Buffer) => void;

/** One raw socket of the load: a plain receiver, or a subscribed WebSocket client. */
export class Connection {
  /** Bytes received since the connection was ready. */
  bytes = 0;
  readonly #socket: Socket;
  #read: Reader = () => {};

  /** @param from the address of this side; the system's choice where it is left out */
  constructor(port: number, from?: string) {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      ...(from === undefined ? {} : { localAddress: from }),
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: length => {
          this.#read(READ_BUFFER.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.on('error', error => {
      throw error;
    });
  }

  /** Resolves when TCP is open. */
  async open(): Promise<void> {
    await new Promise<void>(resolve => this.#socket.once('connect', () => resolve()));
    this.#socket.on('close', () => {
      throw new Error('the server closed a connection');
    });
  }

  /** Upgrades, connects and subscribes. Answers the payload of the frame that holds the subscribe reply. */
  async subscribe(bytes: SubscriberBytes, channel: string, token?: string): Promise<Buffer> {
    this.#socket.write(bytes.upgrade);
    let received: Buffer = Buffer.alloc(0);
    await this.#readUntil(chunk => {
      received = Buffer.concat([received, chunk]);
      return received.includes(HEAD_END);
    });
    received = received.subarray(received.indexOf(HEAD_END) + HEAD_END.length);
    this.#socket.write(bytes.hello(channel, token));
    let answer: Buffer | undefined;
    await this.#readUntil(chunk => {
      received = Buffer.concat([received, chunk]);
      const { payloads, taken } = readServerFrames(received);
      received = received.subarray(taken);
      answer = payloads.find(payload => bytes.answersSubscribe(payload));
      return answer !== undefined;
    });
    return answer as Buffer;
  }

  /** Opens a held response, connects and subscribes. */
  async hold(bytes: SubscriberBytes, channel: string): Promise<Buffer> {
    this.#socket.write(bytes.streamRequest(channel));
    let received: Buffer = Buffer.alloc(0);
    await this.#readUntil(chunk => {
      received = Buffer.concat([received, chunk]);
      return received.includes('{"id":2,"subscribe":');
    });
    return received;
  }

  /** From now on counts what arrives, answers pings when there are any, and shows each chunk to `observe`. */
  count(bytes: SubscriberBytes | null, observe: Reader | null): void {
    const ping = bytes?.ping;
    this.#read = chunk => {
      this.bytes += chunk.length;
      observe?.(chunk);
      if (ping !== undefined && chunk.length === ping.length && chunk.equals(ping)) {
        this.#socket.write((bytes as SubscriberBytes).pong);
      }
    };
  }

  /** Drops the connection without leaving a port in TIME_WAIT. */
  reset(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.resetAndDestroy();
  }

  #readUntil(complete: (chunk: Buffer) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#read = chunk => {
        try {
          if (!complete(chunk)) return;
          this.#read = () => {};
          resolve();
        } catch (error) {
          reject(error);
        }
      };
    });
  }
}
