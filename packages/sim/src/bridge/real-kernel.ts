import { Actor } from '../kernel/actor.ts';
import { Stream } from '../kernel/stream.ts';
import type { WorldKernel } from '../kernel/world-kernel.ts';

/** The monotonic clock of the machine, microseconds: the same one in every process. */
export function machineUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** What a run in real time has in place of the simulated kernel: timers, and the actors and random streams of a seed. */
export class RealKernel implements WorldKernel {
  /** When the run began, on the clock of the machine. */
  begunUs = machineUs();
  readonly #seed: string;
  readonly #serviceFor: (actor: Actor) => string;
  readonly #actors = new Map<string, Actor>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isStopped = false;

  constructor(seed: string, serviceFor: (actor: Actor) => string) {
    this.#seed = seed;
    this.#serviceFor = serviceFor;
  }

  /** The run begins now: its servers are there. */
  begin(): void {
    this.begunUs = machineUs();
  }

  get nowUs(): number {
    return machineUs() - this.begunUs;
  }

  serviceFor(actor: Actor): string {
    return this.#serviceFor(actor);
  }

  actor(name: string): Actor {
    // Named as the simulated kernel names those of a first life: they draw the same.
    const actor = this.#actors.get(name) ?? new Actor(name, `${this.#seed}/life 0`);
    this.#actors.set(name, actor);
    return actor;
  }

  stream(purpose: string): Stream {
    return new Stream(`${this.#seed}/${purpose}`);
  }

  at(ms: number, _actor: Actor, _kind: string, run: () => void): void {
    if (this.#isStopped) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        run();
      },
      Math.max(0, ms - this.nowUs / 1000),
    );
    this.#timers.add(timer);
  }

  /** After so long. */
  after(ms: number, run: () => void): void {
    this.at(this.nowUs / 1000 + ms, this.actor('faults'), 'later', run);
  }

  /** Nothing happens any more. */
  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
