import type { Clock } from '@msg/foundation/clock';
import type { JobStore, RedriveJob } from './contract.ts';

const BEAT_MS = 5000;
/** A wait for the next letter is looked at so often: a stop ends it. */
const LOOK_MS = 500;

/** What became of a letter: `skipped` was gone, or another call held it. */
export interface LetterOutcome {
  readonly outcome: 'sent' | 'parked' | 'skipped';
  readonly group: string;
}

/** Sends one letter again. Rejects when the store fails. */
type SendLetter = (id: string, retries: boolean) => Promise<LetterOutcome>;

export interface JobRunParts {
  readonly store: JobStore;
  readonly clock: Clock;
  readonly send: SendLetter;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** Whether the node may work on a job now, beside its others. */
  readonly hasTurn: (id: string) => boolean;
}

/** A job in work on this node. */
export interface JobRun {
  readonly job: RedriveJob;
  stop(): void;
  /** Resolves to its last state. */
  readonly ended: Promise<RedriveJob>;
}

/** Works on a job: as many letters at a time, and as many in a second, as it says. */
export function runJob(begun: RedriveJob, parts: JobRunParts): JobRun {
  const work = new JobWork(begun, parts);
  return {
    get job() {
      return work.now;
    },
    stop: () => work.stop(),
    ended: work.run(),
  };
}

class JobWork {
  job: RedriveJob;
  readonly #parts: JobRunParts;
  /** Monotonic; absent while it is queued. */
  #beganAt: number | undefined;
  readonly #ranBefore: number;
  /** Absent while it goes on. */
  #endedAt: number | undefined;
  #nextAt = 0;
  #failures = 0;
  #end: 'stopped' | 'tripped' | undefined;

  constructor(job: RedriveJob, parts: JobRunParts) {
    this.job = job;
    this.#parts = parts;
    this.#ranBefore = job.ranMs;
  }

  /** Its state now, with the time for which it ran so far. */
  get now(): RedriveJob {
    return this.#timed();
  }

  stop(): void {
    if (this.#end !== undefined) return;
    this.#end = 'stopped';
    this.job = { ...this.job, state: 'stopping' };
  }

  async run(): Promise<RedriveJob> {
    const { store, clock, stopping } = this.#parts;
    let hasEnded = false;
    const beat = (): void => {
      clock.setTimeout(() => {
        if (hasEnded) return;
        store.save(this.#timed()).catch(() => {}); // the next one holds the sink, too
        beat();
      }, BEAT_MS);
    };
    beat();
    let last: RedriveJob | undefined;
    try {
      await this.#turn();
      await Promise.all(Array.from({ length: this.job.concurrency }, () => this.#worker()));
      // A service that stops leaves the job to another node.
      const isLeft = stopping.aborted && this.#end === undefined;
      const state = isLeft ? this.job.state : (this.#end ?? 'done');
      last = { ...this.#timed(), state, endedAt: isLeft ? 0 : clock.now() };
    } finally {
      hasEnded = true;
      this.#endedAt = clock.monotonic();
      await store.release(last ?? this.#timed());
    }
    // Not before the sink is free: who reads of the end may begin the next job at once.
    this.job = last;
    return last;
  }

  /** Waits until the node may work on it, or its end. */
  async #turn(): Promise<void> {
    const { store, clock, hasTurn } = this.#parts;
    while (!hasTurn(this.job.id) && !this.#isOver) {
      await this.#pause(LOOK_MS);
      if (await store.isStopRequested(this.job.id)) this.stop();
    }
    if (this.#isOver) return;
    this.#beganAt = clock.monotonic();
    if (this.job.state === 'running') return;
    this.job = { ...this.job, state: 'running' };
    await store.save(this.job);
  }

  async #worker(): Promise<void> {
    const { store, send } = this.#parts;
    while (await this.#slot()) {
      const { id, stop } = await store.take(this.job.id);
      if (stop) this.stop();
      if (id === undefined) return;
      this.#count(await send(id, this.job.retries));
    }
  }

  /** Waits for the moment of the next letter; false at the end of the job. */
  async #slot(): Promise<boolean> {
    const { clock } = this.#parts;
    const at = Math.max(this.#nextAt, clock.monotonic());
    this.#nextAt = at + 1000 / this.job.perSecond;
    while (!this.#isOver) {
      const wait = at - clock.monotonic();
      if (wait <= 0) return true;
      await this.#pause(Math.min(wait, LOOK_MS));
    }
    return false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => void this.#parts.clock.setTimeout(resolve, ms));
  }

  get #isOver(): boolean {
    return this.#end !== undefined || this.#parts.stopping.aborted;
  }

  #count({ outcome, group }: LetterOutcome): void {
    const { job } = this;
    this.job = {
      ...job,
      [outcome]: job[outcome] + 1,
      groups: job.groups.map(row =>
        row.group === group && outcome !== 'skipped' ? { ...row, [outcome]: row[outcome] + 1 } : row,
      ),
    };
    if (outcome === 'skipped') return;
    this.#failures = outcome === 'sent' ? 0 : this.#failures + 1;
    if (this.#failures >= job.stopAfterFailures) this.#end ??= 'tripped';
  }

  #timed(): RedriveJob {
    const now = this.#endedAt ?? this.#parts.clock.monotonic();
    return { ...this.job, ranMs: this.#ranBefore + now - (this.#beganAt ?? now) };
  }
}
