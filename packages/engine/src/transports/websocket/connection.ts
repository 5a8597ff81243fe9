import type { Duplex } from 'node:stream';
import type { Clock } from '@msg/foundation/clock';
import { DisconnectCode } from '@msg/protocol';
import { WebSocket } from 'ws';
import type { TransportInfo } from '../../policy.ts';
import type { Framing, Transport, TransportEvents } from '../contract.ts';
import { closeReason } from './close-reason.ts';

/** Pings that may come while a pong waits; a peer with more floods or does not read, and is cut. */
const MAX_WAITING_PINGS = 60;
/** Bytes of one peer without a pause; then everything else of the process has its turn. */
const READ_TURN_BYTES = 32_768;

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
  readonly #clock: Clock;
  readonly #websocket: WebSocket;
  readonly #socket: Duplex;
  /** The socket holds the beginning of a frame: no control frame may stand inside it (RFC 6455 5.4). */
  #inFrame = false;
  /** A ping of ours that waits for the end of the frame. */
  #pingWaits = false;
  /** Payload of the peer's last ping, which waits to be answered; only the last one needs a pong (5.5.3). */
  #pongWaits: Buffer | undefined = undefined;
  /** Pings since the last pong. */
  #waitingPings = 0;
  /** Bytes that may be read before the next pause. */
  #readLeft = READ_TURN_BYTES;
  /** The session wants nothing to be read. */
  #paused = false;

  constructor(options: {
    readonly clock: Clock;
    readonly websocket: WebSocket;
    readonly socket: Duplex;
    readonly info: TransportInfo;
    readonly framing: Framing;
    /** Keep alive with WebSocket ping frames instead of the protocol's pings. */
    readonly nativePings: boolean;
  }) {
    this.#clock = options.clock;
    this.#websocket = options.websocket;
    this.#socket = options.socket;
    this.info = options.info;
    this.framing = options.framing;
    this.ping = options.nativePings ? () => this.#ping() : null;
  }

  /** Starts reporting to the session. */
  attach(events: TransportEvents): void {
    this.#websocket.on('message', data => events.received(data as Buffer));
    this.#websocket.on('ping', payload => this.#pong(payload));
    if (this.ping !== null) this.#websocket.on('pong', () => events.pongReceived());
    this.#socket.on('data', (chunk: Buffer) => this.#countRead(chunk.length));
    this.#websocket.on('close', () => events.transportClosed());
    // A protocol violation of the peer: `ws` answers with the right close code, 'close' follows.
    this.#websocket.on('error', ignore);
    this.#socket.on('drain', () => {
      if (!this.#inFrame) this.#sendControlFrames();
      events.drained();
    });
  }

  write(bytes: Uint8Array, inFrame: boolean): boolean {
    const taken = this.#socket.write(bytes);
    this.#inFrame = inFrame;
    if (!inFrame) this.#sendControlFrames();
    return taken;
  }

  #ping(): void {
    if (this.#inFrame) this.#pingWaits = true;
    else this.#websocket.ping();
  }

  /** Pings of one turn get one pong, at its end: a peer that sends many costs no write for each. */
  #pong(payload: Buffer): void {
    if (this.#websocket.readyState !== WebSocket.OPEN) return;
    if (++this.#waitingPings > MAX_WAITING_PINGS) {
      this.#websocket.terminate();
      return;
    }
    if (this.#pongWaits === undefined) this.#clock.afterTurn(() => this.#answerPing());
    this.#pongWaits = Buffer.from(payload); // not the whole chunk that it came in
  }

  #answerPing(): void {
    if (!this.#inFrame && !this.#socket.writableNeedDrain) this.#sendControlFrames();
  }

  #countRead(bytes: number): void {
    this.#readLeft -= bytes;
    if (this.#readLeft > 0) return;
    this.#websocket.pause();
    this.#clock.afterTurn(() => {
      this.#readLeft = READ_TURN_BYTES;
      if (!this.#paused) this.#websocket.resume();
    });
  }

  #sendControlFrames(): void {
    if (this.#pongWaits !== undefined) this.#websocket.pong(this.#pongWaits);
    if (this.#pingWaits) this.#websocket.ping();
    this.#pongWaits = undefined;
    this.#pingWaits = false;
    this.#waitingPings = 0;
  }

  bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  pause(): void {
    this.#paused = true;
    this.#websocket.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#readLeft > 0) this.#websocket.resume();
  }

  close(code: number, reason: string): void {
    this.#websocket.close(code, closeReason(code, reason));
  }

  destroy(code: number, reason: string): void {
    // The close frame is worth a try: it stands behind what the socket holds already.
    if (code !== DisconnectCode.ConnectionClosed && !this.#inFrame)
      this.#websocket.close(code, closeReason(code, reason));
    this.#websocket.terminate();
  }
}

function ignore(): void {}
