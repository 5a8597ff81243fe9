import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { COMMAND_DECODE_LIMITS, DecodeError, DisconnectCode } from '@msg/protocol';
import { FrameStream } from '@msg/protocol/internal';
import type { TransportInfo } from '../../policy.ts';
import type { Framing, Transport, TransportEvents } from '../contract.ts';
import type { WebTransportSession, WebTransportStream } from './provider.ts';

/** With more bytes than this on their way to the stack, later ones wait in the session's queue. */
const HIGH_WATER_BYTES = 65_536;

/** The client reads the disconnect push before the session goes (client protocol 4.5), milliseconds. */
const READ_OUT_MS = 1000;
/** How long what was written before the end may take, milliseconds. */
const LINGER_MS = 5000;

/** The one bidirectional stream of a WebTransport session (client protocol 4.5). */
export class WebTransportConnection implements Transport {
  readonly info: TransportInfo;
  readonly framing: Framing;
  readonly emulated = false;
  readonly announcesDisconnect = true;
  readonly ping = null;
  readonly #session: WebTransportSession;
  readonly #clock: Clock;
  readonly #frames: FrameStream;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #events: TransportEvents | null = null;
  /** Bytes that the stack has not taken over. */
  #pending = 0;
  #full = false;
  /** Lets the reading loop go on. */
  #resume: (() => void) | null = null;
  #paused = false;
  #ending = false;
  #timer: TimerHandle | null = null;

  constructor(options: {
    readonly session: WebTransportSession;
    readonly stream: WebTransportStream;
    readonly info: TransportInfo;
    readonly framing: Framing;
    /** Largest message of the client. */
    readonly messageBytes: number;
    readonly clock: Clock;
  }) {
    const { readable, writable } = options.stream;
    this.info = options.info;
    this.framing = options.framing;
    this.#session = options.session;
    this.#clock = options.clock;
    const { messageBytes } = options;
    this.#frames = new FrameStream(options.info.encoding, { ...COMMAND_DECODE_LIMITS, messageBytes });
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
    this.#writer.closed.catch(ignore); // told by the session's end
    this.#session.closed.then(
      () => this.#gone(),
      () => this.#gone(),
    );
  }

  /** Starts reporting to the session. */
  attach(events: TransportEvents): void {
    this.#events = events;
    void this.#read(events);
  }

  write(bytes: Uint8Array): boolean {
    this.#pending += bytes.length;
    this.#full ||= this.#pending > HIGH_WATER_BYTES;
    this.#writer.write(bytes).then(() => this.#taken(bytes.length), ignore);
    return !this.#full;
  }

  bufferedBytes(): number {
    return this.#pending;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#resume?.();
  }

  close(code: number, reason: string): void {
    if (this.#ending) return;
    this.#ending = true;
    const closeIn = (ms: number) => {
      if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
      this.#timer = this.#clock.setTimeout(() => this.#session.close(code, reason), ms);
    };
    closeIn(LINGER_MS);
    this.#writer.close().then(() => {
      if (this.#timer !== null) closeIn(READ_OUT_MS);
    }, ignore);
  }

  destroy(code: number, reason: string): void {
    this.#ending = true;
    if (code === DisconnectCode.ConnectionClosed) this.#session.close(0, '');
    else this.#session.close(code, reason);
  }

  #taken(bytes: number): void {
    this.#pending -= bytes;
    if (!this.#full || this.#pending > 0) return;
    this.#full = false;
    this.#events?.drained();
  }

  async #read(events: TransportEvents): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.#frames.push(value);
        for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
          events.received(frame);
        }
        if (this.#paused) await new Promise<void>(resolve => this.#untilResumed(resolve));
      }
    } catch (error) {
      if (error instanceof DecodeError) {
        events.undecodable(error);
        return;
      }
    }
    // A client that sends no more is going: nothing else ends its session soon.
    if (!this.#ending) this.#session.close(0, '');
  }

  #untilResumed(resolve: () => void): void {
    this.#resume = () => {
      this.#resume = null;
      resolve();
    };
  }

  #gone(): void {
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#resume?.();
    const events = this.#events;
    this.#events = null;
    events?.transportClosed();
  }
}

function ignore(): void {}
