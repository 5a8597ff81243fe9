import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { TransportInfo } from '../../policy.ts';
import type { Framing, Transport, TransportEvents } from '../contract.ts';
import { closeReason } from './close-reason.ts';

/**
 * One WebSocket. Receiving and the closing handshake are the `ws` library's; sending is ours: frames that many
 * connections share are written to the socket as they are.
 */
export class WebSocketConnection implements Transport {
  readonly info: TransportInfo;
  readonly framing: Framing;
  readonly emulated = false;
  readonly announcesDisconnect = false;
  readonly ping: (() => void) | null;
  readonly #websocket: WebSocket;
  readonly #socket: Duplex;

  constructor(options: {
    readonly websocket: WebSocket;
    readonly socket: Duplex;
    readonly info: TransportInfo;
    readonly framing: Framing;
    /** Keep alive with WebSocket ping frames instead of the protocol's pings. */
    readonly nativePings: boolean;
  }) {
    this.#websocket = options.websocket;
    this.#socket = options.socket;
    this.info = options.info;
    this.framing = options.framing;
    this.ping = options.nativePings ? () => this.#websocket.ping() : null;
  }

  /** Starts reporting to the session. */
  attach(events: TransportEvents): void {
    this.#websocket.on('message', data => events.received(data as Buffer));
    if (this.ping !== null) this.#websocket.on('pong', () => events.pongReceived());
    this.#websocket.on('close', () => events.transportClosed());
    // A protocol violation of the peer: `ws` answers with the right close code, 'close' follows.
    this.#websocket.on('error', ignore);
    this.#socket.on('drain', () => events.drained());
  }

  write(bytes: Uint8Array): boolean {
    return this.#socket.write(bytes);
  }

  bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  pause(): void {
    this.#websocket.pause();
  }

  resume(): void {
    this.#websocket.resume();
  }

  close(code: number, reason: string): void {
    this.#websocket.close(code, closeReason(code, reason));
  }

  destroy(code: number, reason: string): void {
    // The close frame is worth a try: it stands behind what the socket holds already.
    this.#websocket.close(code, closeReason(code, reason));
    this.#websocket.terminate();
  }
}

function ignore(): void {}
