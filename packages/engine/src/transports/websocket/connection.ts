import type { Duplex } from 'node:stream';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { DisconnectCode } from '@msg/protocol';
import type { TransportInfo } from '../../policy.ts';
import type { Framing, Transport, TransportEvents } from '../contract.ts';
import { closeReason } from './close-reason.ts';
import { closeFrame, controlFrame, Opcode } from './frame-format.ts';
import { type FrameEvents, FrameReader, type FrameRules } from './frame-reader.ts';

/** Pings that may come while a pong waits; a peer with more floods or does not read, and is cut. */
const MAX_WAITING_PINGS = 60;
/** Bytes of one peer without a pause; then everything else of the process has its turn. */
const READ_TURN_BYTES = 32_768;
/** How long the peer may take to answer a close frame before TCP is dropped, milliseconds. */
const CLOSE_HANDSHAKE_MS = 5000;

const PING = controlFrame(Opcode.Ping, Buffer.alloc(0));
const CONNECTION = Symbol('msg.connection');

/** The socket of a connection, by which its listeners find it. */
interface AttachedSocket extends Duplex {
  [CONNECTION]: WebSocketConnection;
}

/** One WebSocket. Frames that many connections share are written to the socket as they are. */
export class WebSocketConnection implements Transport, FrameEvents {
  readonly info: TransportInfo;
  readonly framing: Framing;
  readonly emulated = false;
  readonly announcesDisconnect = false;
  readonly ping: (() => void) | null;
  readonly #clock: Clock;
  readonly #socket: AttachedSocket;
  readonly #reader: FrameReader;
  #events: TransportEvents | undefined = undefined;
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
  /** Our side has ended: no frame follows. */
  #closing = false;
  /** The peer's side has ended, or is not read any more. */
  #peerEnded = false;
  #closeTimer: TimerHandle | undefined = undefined;

  constructor(options: {
    readonly clock: Clock;
    readonly socket: Duplex;
    readonly info: TransportInfo;
    readonly framing: Framing;
    readonly rules: FrameRules;
    /** Keep alive with WebSocket ping frames instead of the protocol's pings. */
    readonly nativePings: boolean;
  }) {
    this.#clock = options.clock;
    this.#socket = options.socket as AttachedSocket; // see `attach`
    this.info = options.info;
    this.framing = options.framing;
    this.#reader = new FrameReader(this, options.rules);
    this.ping = options.nativePings ? () => this.#ping() : null;
  }

  /** All sockets share them: listeners of its own would cost each connection memory. */
  static readonly #listeners = {
    data(this: AttachedSocket, chunk: Buffer): void {
      this[CONNECTION].#read(chunk);
    },
    drain(this: AttachedSocket): void {
      this[CONNECTION].#drained();
    },
    end(this: AttachedSocket): void {
      this[CONNECTION].#endOfPeer();
    },
    close(this: AttachedSocket): void {
      this[CONNECTION].#closed();
    },
    /** Without a listener an error would end the process; 'close' follows. */
    error(this: AttachedSocket): void {
      this.destroy();
    },
  };

  /** Starts reporting to the session. */
  attach(events: TransportEvents): void {
    this.#events = events;
    const socket = this.#socket;
    socket[CONNECTION] = this;
    const { data, drain, end, close, error } = WebSocketConnection.#listeners;
    socket.on('error', error).on('close', close).on('end', end).on('drain', drain).on('data', data);
  }

  #read(chunk: Buffer): void {
    if (this.#peerEnded) return;
    this.#countRead(chunk.length);
    this.#reader.read(chunk);
  }

  #countRead(bytes: number): void {
    this.#readLeft -= bytes;
    if (this.#readLeft > 0) return;
    this.#socket.pause();
    this.#clock.afterTurn(() => {
      this.#readLeft = READ_TURN_BYTES;
      if (!this.#paused || this.#peerEnded) this.#socket.resume();
    });
  }

  messageReceived(bytes: Buffer): void {
    if (!this.#socket.destroyed) this.#events?.received(bytes);
  }

  pongReceived(): void {
    if (this.ping !== null) this.#events?.pongReceived();
  }

  /** Pings of one turn get one pong, at its end: a peer that sends many costs no write for each. */
  pingReceived(payload: Buffer): void {
    if (this.#closing) return;
    if (++this.#waitingPings > MAX_WAITING_PINGS) {
      this.#socket.destroy();
      return;
    }
    if (this.#pongWaits === undefined) this.#clock.afterTurn(() => this.#answerPing());
    this.#pongWaits = Buffer.from(payload); // not the whole chunk that it came in
  }

  /** The peer closes; it gets its own status and reason back (RFC 6455, 5.5.1). */
  closeReceived(status: number, reason: Buffer): void {
    this.#peerEnded = true;
    this.#finish(status, reason);
  }

  violated(status: number): void {
    this.#peerEnded = true;
    this.#finish(status, '');
  }

  /** The peer ends without a close frame, or after ours. */
  #endOfPeer(): void {
    this.#peerEnded = true;
    this.#closing = true;
    this.#socket.end();
    if (this.#socket.writableLength > 0) this.#limitClosing();
  }

  /** Sends the close frame, once. TCP ends when the peer has ended its side, too, and in any case after a while. */
  #finish(status: number, reason: string | Uint8Array): void {
    const isFirst = !this.#closing;
    this.#closing = true;
    if (isFirst && !this.#inFrame) this.#socket.write(closeFrame(status, reason));
    if (this.#peerEnded || this.#inFrame) {
      this.#socket.end();
      this.#socket.resume(); // the end of the peer is not seen in a socket that is not read
    }
    this.#limitClosing();
  }

  #limitClosing(): void {
    this.#closeTimer ??= this.#clock.setTimeout(() => this.#socket.destroy(), CLOSE_HANDSHAKE_MS);
  }

  #closed(): void {
    this.#closing = true;
    this.#peerEnded = true;
    if (this.#closeTimer !== undefined) this.#clock.clearTimeout(this.#closeTimer);
    this.#events?.transportClosed();
  }

  #drained(): void {
    if (!this.#inFrame) this.#sendControlFrames();
    this.#events?.drained();
  }

  write(bytes: Uint8Array, inFrame: boolean): boolean {
    const taken = this.#socket.write(bytes);
    this.#inFrame = inFrame;
    if (!inFrame) this.#sendControlFrames();
    return taken;
  }

  #ping(): void {
    if (this.#closing) return;
    if (this.#inFrame) this.#pingWaits = true;
    else this.#socket.write(PING);
  }

  #answerPing(): void {
    if (!this.#inFrame && !this.#socket.writableNeedDrain) this.#sendControlFrames();
  }

  #sendControlFrames(): void {
    if (this.#pongWaits === undefined && !this.#pingWaits) return;
    const pong = this.#pongWaits;
    const pingWaits = this.#pingWaits;
    this.#pongWaits = undefined;
    this.#pingWaits = false;
    this.#waitingPings = 0;
    if (this.#closing) return;
    if (pong !== undefined) this.#socket.write(controlFrame(Opcode.Pong, pong));
    if (pingWaits) this.#socket.write(PING);
  }

  bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  pause(): void {
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#readLeft > 0) this.#socket.resume();
  }

  close(code: number, reason: string): void {
    this.#finish(code, closeReason(code, reason));
  }

  destroy(code: number, reason: string): void {
    // The close frame is worth a try: it stands behind what the socket holds already.
    if (code !== DisconnectCode.ConnectionClosed && !this.#inFrame && !this.#closing)
      this.#socket.write(closeFrame(code, closeReason(code, reason)));
    this.#closing = true;
    this.#socket.destroy();
  }
}
