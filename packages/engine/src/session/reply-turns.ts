import type { Clock } from '@msg/foundation/clock';
import { TurnBudget } from '../timers/turn-budget.ts';

/** Bytes of long replies that the connections of a node write in one turn of the event loop. */
export const REPLY_TURN_BYTES = 1_048_576;

/** A connection with a long reply to write. */
export interface ReplyWriter {
  /**
   * Writes one piece and reports its size with {@link ReplyTurns.spent}; for more it calls {@link ReplyTurns.admits}
   * again.
   */
  writePiece(): void;
}

/**
 * Decides which session writes a piece of a long history or recovery reply. Kernel buffers take megabytes for each of a
 * thousand connections, and a publication would wait until all are full. So one turn of the event loop writes a bounded
 * number of bytes, one piece per connection in the order of requests.
 */
export class ReplyTurns {
  readonly #budget: TurnBudget;
  readonly #waiting: ReplyWriter[] = [];

  constructor(clock: Clock) {
    this.#budget = new TurnBudget(clock, REPLY_TURN_BYTES, () => this.#serve());
  }

  /** True: the writer may write a piece now and reports it with {@link spent}. False: `writePiece` is called later. */
  admits(writer: ReplyWriter): boolean {
    this.#budget.arm();
    if (this.#budget.hasLeft && this.#waiting.length === 0) return true;
    this.#waiting.push(writer);
    return false;
  }

  /** Counts a written piece. */
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
