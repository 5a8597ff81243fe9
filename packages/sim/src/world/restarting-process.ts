import type { Actor } from '../kernel/actor.ts';
import type { Kernel } from '../kernel/kernel.ts';

/** The process of the service: the actor `node`, which can be killed and started again. */
export class RestartingProcess {
  readonly #kernel: Kernel;
  readonly #start: (actor: Actor) => Promise<void>;

  /** @param start begins a life, as the actor */
  constructor(kernel: Kernel, start: (actor: Actor) => Promise<void>) {
    this.#kernel = kernel;
    this.#start = start;
  }

  get actor(): Actor {
    return this.#kernel.actor('node');
  }

  startAt(ms: number): void {
    const { actor } = this;
    this.#kernel.at(ms, actor, 'start', () => void this.#start(actor));
  }

  restart(afterMs: number): void {
    this.#kernel.kill(this.actor);
    this.startAt(this.#kernel.nowUs / 1000 + afterMs);
  }
}
