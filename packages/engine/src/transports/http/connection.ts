import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TransportInfo } from '../../policy.ts';
import type { Framing, Transport, TransportEvents } from '../contract.ts';
import { LAST_CHUNK } from './framing.ts';

/** How long a peer may take nothing of what was written before the end, milliseconds. */
const LINGER_MS = 5000;

/**
 * One held HTTP response. Commands come in through the request's body and the emulation endpoint; what goes out is
 * written to the socket as it is, because frames carry the transfer coding already.
 */
export class HttpStreamConnection implements Transport {
  readonly info: TransportInfo;
  readonly framing: Framing;
  readonly emulated = true;
  readonly announcesDisconnect = true;
  readonly ping = null;
  readonly #socket: Socket;
  readonly #chunked: boolean;
  #ended = false;

  /** `response`: its head is sent; `chunked`: with the chunked transfer coding. */
  constructor(response: ServerResponse, info: TransportInfo, framing: Framing, chunked: boolean) {
    // A response whose head was sent has its socket until that closes.
    this.#socket = response.socket as Socket;
    this.info = info;
    this.framing = framing;
    this.#chunked = chunked;
  }

  /** Starts reporting to the session. */
  attach(events: TransportEvents): void {
    this.#socket.on('drain', () => events.drained());
    this.#socket.once('close', () => events.transportClosed());
    // The other side may end its half of the connection only: the stream is not read then.
    this.#socket.once('end', () => this.#socket.destroy());
  }

  write(bytes: Uint8Array): boolean {
    return this.#socket.write(bytes);
  }

  bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  // Commands arrive in requests of their own: the emulation endpoint asks the session whether it takes more.
  pause(): void {}

  resume(): void {}

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket.setTimeout(LINGER_MS, () => this.#socket.destroy());
    if (this.#chunked) this.#socket.end(LAST_CHUNK);
    else this.#socket.end();
  }

  destroy(): void {
    this.#ended = true;
    this.#socket.destroy();
  }
}
