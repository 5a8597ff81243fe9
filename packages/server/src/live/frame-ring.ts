import type { FrameRecorder } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';

const MAX_FRAMES = 500;
const MAX_BYTES = 512 * 1024;
/** Bytes of one frame that are kept. */
export const MAX_FRAME_BYTES = 2048;

/** A frame as it is kept: nothing of it has been decoded. */
export interface KeptFrame {
  /** Counts the frames of the recording, from 1. */
  readonly number: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly direction: 'in' | 'out';
  /** Length of the whole frame. */
  readonly size: number;
  /** Its begin; empty for a reply in pieces, and for the end. */
  readonly bytes: Uint8Array;
  /** Only of the last frame: the disconnect that ended the connection. */
  readonly end?: { readonly code: number; readonly reason: string };
}

const NOTHING = new Uint8Array(0);

/** The newest frames of one connection, in bounded memory. Source: console, section 7.3. */
export class FrameRing implements FrameRecorder {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onEnded: () => void;
  #frames: KeptFrame[] = [];
  #bytes = 0;
  #count = 0;
  #dropped = 0;

  /** @param onEnded the connection has ended */
  constructor(clock: Pick<Clock, 'now'>, onEnded: () => void) {
    this.#clock = clock;
    this.#onEnded = onEnded;
  }

  /** Frames that were seen. */
  get count(): number {
    return this.#count;
  }

  /** Frames that made room for newer ones. */
  get dropped(): number {
    return this.#dropped;
  }

  received(frame: Uint8Array): void {
    this.#keep('in', frame.length, frame.slice(0, MAX_FRAME_BYTES));
  }

  sent(message: Uint8Array): void {
    this.#keep('out', message.length, message.slice(0, MAX_FRAME_BYTES));
  }

  sentInPieces(bytes: number): void {
    this.#keep('out', bytes, NOTHING);
  }

  ended(code: number, reason: string): void {
    this.#keep('out', 0, NOTHING, { code, reason });
    this.#onEnded();
  }

  /** Kept frames behind a number, the oldest first, as many as have so many bytes; the first one always. */
  after(number: number, maxBytes: number): readonly KeptFrame[] {
    const frames = this.#frames.filter(frame => frame.number > number);
    let bytes = 0;
    const end = frames.findIndex((frame, index) => {
      bytes += frame.bytes.length;
      return index > 0 && bytes > maxBytes;
    });
    return end < 0 ? frames : frames.slice(0, end);
  }

  #keep(direction: KeptFrame['direction'], size: number, bytes: Uint8Array, end?: KeptFrame['end']): void {
    this.#count++;
    const frame = { number: this.#count, at: this.#clock.now(), direction, size, bytes };
    this.#frames.push(end === undefined ? frame : { ...frame, end });
    this.#bytes += bytes.length;
    while (this.#frames.length > MAX_FRAMES || this.#bytes > MAX_BYTES) {
      this.#bytes -= this.#frames.shift()?.bytes.length ?? 0;
      this.#dropped++;
    }
  }
}
