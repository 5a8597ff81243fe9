import { readiness } from '../../../support/cluster.ts';

const POLL_MS = 50;

/** One change of what `/readyz` says. */
export interface ReadinessChange {
  readonly ready: boolean;
  /** What is wrong with the store itself; empty when nothing is. */
  readonly store: string;
}

/** Asks `/readyz` of a node all the time and remembers the changes: a node that flaps has too many. */
export class ReadinessLog {
  readonly changes: ReadinessChange[] = [];
  readonly #url: string;
  #stopped = false;
  readonly #running: Promise<void>;

  constructor(url: string) {
    this.#url = url;
    this.#running = this.#run();
  }

  /** What it said last. */
  get last(): ReadinessChange | undefined {
    return this.changes.at(-1);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const { body } = await readiness(this.#url);
      const change = { ready: body.ready, store: body.subsystems['store']?.detail ?? '' };
      if (this.last?.ready !== change.ready) this.changes.push(change);
      await new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
  }
}
