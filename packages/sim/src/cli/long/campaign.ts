import { EXIT, type Print } from '../exit.ts';
import type { Finished, Task } from './finished.ts';
import { commitOfSources } from './sources.ts';
import type { Journal, PieceState } from './state.ts';
import { campaignTable } from './table.ts';
import { addSeed, type Totals } from './totals.ts';
import { isReached, type Until } from './until.ts';
import { Worker } from './worker.ts';

/** Between two tables. */
const TABLE_EVERY_MS = 60_000;
/** A worker that is larger is replaced. */
const LARGEST_WORKER_MIB = 512;

interface CampaignParts {
  readonly state: PieceState;
  readonly journal: Journal;
  readonly classes: readonly string[];
  readonly until: Until;
  readonly workers: number;
  readonly maxFailures: number;
  readonly print: Print;
}

/** Plays seeds in order over several processes until its end, and keeps what each came to. */
export class Campaign {
  readonly #parts: CampaignParts;
  readonly #totals: Totals;
  /** Seeds that are finished or under way. */
  readonly #taken: Set<number>;
  readonly #workers = new Set<Worker>();
  readonly #begun = performance.now();
  #next: number;
  #isStopped = false;

  constructor(parts: CampaignParts) {
    this.#parts = parts;
    this.#totals = parts.state.totals;
    this.#taken = new Set(parts.state.done);
    this.#next = parts.state.identity.from;
  }

  /** Resolves with the exit code once no worker is left. */
  async run(): Promise<number> {
    const table = setInterval(() => this.#eachMinute(), TABLE_EVERY_MS);
    await new Promise<void>(resolve => {
      for (let i = 0; i < this.#parts.workers; i++) this.#startWorker(resolve);
    });
    clearInterval(table);
    this.#print();
    return this.#exit();
  }

  /** Ends it after the seeds that are under way. */
  stop(): void {
    this.#isStopped = true;
    for (const worker of this.#workers) worker.close();
  }

  #startWorker(allEnded: () => void): void {
    const worker = new Worker({
      finished: (_, seed) => {
        this.#keep(seed);
        if (seed.rssMiB > LARGEST_WORKER_MIB) worker.close();
        else this.#feed(worker);
      },
      ended: (_, task, lost) => {
        this.#workers.delete(worker);
        if (lost !== undefined) this.#keep(lost);
        else if (task !== undefined) this.#giveBack(task);
        if (!this.#isOver()) this.#startWorker(allEnded);
        else if (this.#workers.size === 0) allEnded();
      },
    });
    this.#workers.add(worker);
    this.#feed(worker);
  }

  #feed(worker: Worker): void {
    if (this.#isOver()) {
      worker.close();
      return;
    }
    while (this.#taken.has(this.#next)) this.#next++;
    const seed = this.#next;
    this.#taken.add(seed);
    const { classes } = this.#parts;
    worker.give({ world: classes[seed % classes.length] ?? '', seed });
  }

  #giveBack({ seed }: Task): void {
    this.#taken.delete(seed);
    this.#next = Math.min(this.#next, seed);
  }

  #keep(seed: Finished): void {
    this.#parts.journal.append(seed);
    addSeed(this.#totals, seed);
    const { print } = this.#parts;
    for (const { oracle, text } of seed.violations)
      print(`${oracle}: ${text}\n  again: npm run sim -- --class ${seed.world} --seed ${seed.seed}`);
    if (seed.fault !== undefined)
      print(`the simulator is at fault in seed ${seed.seed} of ${seed.world}: ${seed.fault}`);
  }

  #isOver(): boolean {
    const { until, maxFailures } = this.#parts;
    const isEnough = isReached(until, this.#totals, performance.now() - this.#begun);
    return this.#isStopped || isEnough || this.#totals.failures >= maxFailures;
  }

  #eachMinute(): void {
    this.#print();
    const { state, print } = this.#parts;
    if (commitOfSources() === state.identity.commit) return;
    print('the sources are no longer those of the piece; the campaign ends');
    this.stop();
  }

  #print(): void {
    const playing = [...this.#workers].flatMap(({ task }) => (task === undefined ? [] : [task]));
    this.#parts.print(
      campaignTable(this.#totals, {
        elapsedMs: performance.now() - this.#begun,
        workers: this.#parts.workers,
        playing: playing.map(({ world, seed }) => `${seed} of ${world}`),
      }),
    );
  }

  #exit(): number {
    const { findings } = this.#totals;
    if (findings.some(({ oracle }) => oracle === 'simulator')) return EXIT.simulator;
    return findings.length > 0 ? EXIT.violation : EXIT.clean;
  }
}
