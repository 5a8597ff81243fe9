import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { JOB_KEPT_MS, type JobStore, type RedriveJob, type StoredJob, type TakenLetter } from './contract.ts';

interface Entry {
  job: RedriveJob;
  readonly letters: string[];
  stop: boolean;
  storedAt: number;
}

/** The jobs of a single node, which end with the process. */
export class MemoryJobStore implements JobStore {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #entries = new Map<string, Entry>();
  /** The job that holds a sink. */
  readonly #holders = new Map<string, string>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  async begin(job: RedriveJob, letters: readonly string[]): Promise<string | undefined> {
    const holder = await this.hold(job);
    if (holder === undefined)
      this.#entries.set(job.id, { job, letters: [...letters], stop: false, storedAt: this.#clock.now() });
    return holder;
  }

  async hold({ id, sink }: RedriveJob): Promise<string | undefined> {
    const holder = this.#holders.get(sink);
    if (holder !== undefined) return holder;
    this.#holders.set(sink, id);
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.stop = false;
    return undefined;
  }

  async save(job: RedriveJob): Promise<void> {
    const entry = this.#entries.get(job.id);
    if (entry === undefined) return;
    entry.job = job;
    entry.storedAt = this.#clock.now();
  }

  async release(job: RedriveJob): Promise<void> {
    await this.save(job);
    if (this.#holders.get(job.sink) === job.id) this.#holders.delete(job.sink);
  }

  async take(id: string): Promise<TakenLetter> {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.stop) return { stop: entry?.stop ?? false };
    return { stop: false, ...defined({ id: entry.letters.shift() }) };
  }

  async isStopRequested(id: string): Promise<boolean> {
    return this.#entries.get(id)?.stop ?? false;
  }

  async requestStop(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.stop = true;
  }

  async list(): Promise<readonly StoredJob[]> {
    const since = this.#clock.now() - JOB_KEPT_MS;
    for (const [id, { storedAt }] of this.#entries) if (storedAt < since) this.#entries.delete(id);
    return [...this.#entries.values()]
      .map(({ job, letters }) => ({
        job,
        remaining: letters.length,
        isHeld: this.#holders.get(job.sink) === job.id,
      }))
      .reverse();
  }
}
