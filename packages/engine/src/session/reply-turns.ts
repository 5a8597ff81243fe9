import type { Clock } from '@msg/foundation/clock';

/** Bytes of long replies that the connections of a node write in one turn of the event loop. */
export const REPLY_TURN_BYTES = 1_048_576;

/** A connection that has a long reply to write. */
export interface ReplyWriter {
  /** It may write a piece, and says so with {@link ReplyTurns.spent}. With more to write it asks again. */
  writePiece(): void;
}

/**
 * Decides which session writes a piece of a long history or recovery reply. The buffers of a kernel take megabytes
 * without a pause, of each of a thousand connections that ask at the same time: a publication would wait until the last
 * of them is full. Here a turn of the event loop writes a bounded number of bytes, one piece for each connection in the
 * order of asking.
 */
export class ReplyTurns {
  #leftBytes = REPLY_TURN_BYTES;
  readonly #waiting: ReplyWriter[] = [];
  #armed = false;
  readonly #clock: Clock;
  readonly #turn = (): void => this.#run();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True: a piece may be written now, and {@link spent} says how long it was. False: the writer is called when it may. */
  admits(writer: ReplyWriter): boolean {
    this.#arm();
    if (this.#leftBytes > 0 && this.#waiting.length === 0) return true;
    this.#waiting.push(writer);
    return false;
  }

  /** A piece was written. */
  spent(bytes: number): void {
    this.#leftBytes -= bytes;
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    this.#clock.afterTurn(this.#turn);
  }

  #run(): void {
    this.#armed = false;
    this.#leftBytes = REPLY_TURN_BYTES;
    while (this.#leftBytes > 0) {
      const writer = this.#waiting.shift();
      if (writer === undefined) return;
      writer.writePiece();
    }
    if (this.#waiting.length > 0) this.#arm();
  }
}
