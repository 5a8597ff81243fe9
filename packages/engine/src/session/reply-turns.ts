import type { Clock } from '@msg/foundation/clock';
import { TurnBudget } from '../timers/turn-budget.ts';

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
  readonly #budget: TurnBudget;
  readonly #waiting: ReplyWriter[] = [];

  constructor(clock: Clock) {
    this.#budget = new TurnBudget(clock, REPLY_TURN_BYTES, () => this.#serve());
  }

  /** True: a piece may be written now, and {@link spent} says how long it was. False: the writer is called when it may. */
  admits(writer: ReplyWriter): boolean {
    this.#budget.arm();
    if (this.#budget.hasLeft && this.#waiting.length === 0) return true;
    this.#waiting.push(writer);
    return false;
  }

  /** A piece was written. */
  spent(bytes: number): void {
    this.#budget.spend(bytes);
  }

  #serve(): boolean {
    while (this.#budget.hasLeft) {
      const writer = this.#waiting.shift();
      if (writer === undefined) return false;
      writer.writePiece();
    }
    return this.#waiting.length > 0;
  }
}
