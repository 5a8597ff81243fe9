import { systemClock } from '@msg/foundation/clock';
import { describe, expect, it } from 'vitest';
import { REPLY_TURN_BYTES, ReplyTurns, type ReplyWriter } from '#src/session/reply-turns.ts';

const PIECE = 65_536;

/** Writes pieces as long as it has some, and notes in which turn it did. */
class Writer implements ReplyWriter {
  readonly #turns: ReplyTurns;
  readonly #written: string[];
  readonly #name: string;
  #pieces: number;

  constructor(name: string, pieces: number, turns: ReplyTurns, written: string[]) {
    this.#name = name;
    this.#pieces = pieces;
    this.#turns = turns;
    this.#written = written;
  }

  start(): void {
    while (this.#pieces > 0 && this.#turns.admits(this)) this.#write();
  }

  writePiece(): void {
    this.#write();
    this.start();
  }

  #write(): void {
    this.#pieces--;
    this.#written.push(this.#name);
    this.#turns.spent(PIECE);
  }
}

const nextTurn = () => new Promise(resolve => setImmediate(resolve));

describe('long replies of a node', () => {
  it('write so many bytes in one turn, and the rest in the next ones', async () => {
    const written: string[] = [];
    const perTurn = REPLY_TURN_BYTES / PIECE;
    new Writer('a', 2.5 * perTurn, new ReplyTurns(systemClock), written).start();
    const counts: number[] = [written.length];
    for (let turn = 0; turn < 4; turn++) {
      await nextTurn();
      counts.push(written.length);
    }
    expect(counts).toEqual([perTurn, 2 * perTurn, 2.5 * perTurn, 2.5 * perTurn, 2.5 * perTurn]);
  });

  it('are written piece by piece in turns, so that a short one does not wait for long ones', async () => {
    const written: string[] = [];
    const turns = new ReplyTurns(systemClock);
    for (const name of ['a', 'b']) new Writer(name, 100, turns, written).start();
    new Writer('short', 1, turns, written).start();
    await nextTurn();
    expect(written.indexOf('short')).toBeLessThan(20);
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(written.filter(name => name === 'a')).toHaveLength(100);
    expect(written.filter(name => name === 'b')).toHaveLength(100);
  });
});
