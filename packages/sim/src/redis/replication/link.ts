import type { Kernel } from '../../kernel/kernel.ts';
import type { RedisServer } from '../server.ts';
import type { Write } from '../state.ts';

/** The longest way of a write to a replica: most are shorter. */
const LONGEST_LAG_US = 50_000;

/** The way of writes from a master to one replica: in their order, some time later, what one turn wrote at once. */
export class ReplicationLink {
  readonly replica: RedisServer;
  readonly #kernel: Kernel;
  /** What the replica has not got yet. */
  #turns: Write[][] = [];
  #turn: Write[] | undefined;
  #isHeld = false;
  #isClosed = false;
  #arrivesUs = 0;

  constructor(kernel: Kernel, replica: RedisServer) {
    this.#kernel = kernel;
    this.replica = replica;
  }

  /** Writes that the replica lacks. */
  get lack(): readonly Write[] {
    return this.#turns.flat();
  }

  add(write: Write): void {
    if (this.#turn === undefined) {
      this.#turn = [];
      this.#turns.push(this.#turn);
    }
    this.#turn.push(write);
  }

  turnEnded(): void {
    if (this.#turn === undefined) return;
    this.#turn = undefined;
    this.#send();
  }

  /** Nothing arrives until {@link release}. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    for (let left = this.#turns.length; left > 0; left--) this.#send();
  }

  /** Everything arrives now. */
  finish(): void {
    this.#turn = undefined;
    for (const turn of this.#turns.splice(0)) this.replica.repeat(turn);
  }

  /** What has not arrived never will. */
  close(): void {
    this.#isClosed = true;
  }

  #send(): void {
    const { actor } = this.replica;
    const lagUs = actor.stream('replication').between(100, LONGEST_LAG_US);
    this.#arrivesUs = Math.max(this.#arrivesUs, this.#kernel.nowUs + lagUs);
    this.#kernel.schedule(actor, { kind: 'redis.replication', atUs: this.#arrivesUs }, () => {
      if (this.#isHeld || this.#isClosed) return;
      const turn = this.#turns.shift();
      if (turn !== undefined) this.replica.repeat(turn);
    });
  }
}
