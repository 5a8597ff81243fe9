import { MsgError } from '@msg/core';
import type { Random } from '@msg/foundation/clock';
import type { JobLetter, RedriveJob } from './contract.ts';
import { type JobRun, type JobRunParts, runJob } from './run.ts';

const MAX_JOBS_OF_NODE = 4;
const ID_BYTES = 8;

/** A new job. */
export interface NewJob
  extends Pick<RedriveJob, 'sink' | 'perSecond' | 'concurrency' | 'stopAfterFailures' | 'retries'> {
  /** The oldest first. */
  readonly letters: readonly JobLetter[];
  readonly startedBy: string;
}

/** A job as operators see it. */
export interface ListedJob extends RedriveJob {
  readonly remaining: number;
}

export interface RedriveJobsParts extends Omit<JobRunParts, 'hasTurn'> {
  readonly random: Random;
  readonly nodeId: () => string;
  /** A job came to its end; one that a stopping service left goes on elsewhere. */
  readonly onEnded: (job: RedriveJob) => void;
  readonly onError: (error: unknown) => void;
}

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

/** Jobs that send many dead letters again, at a rate. Source: console, section 7.7. */
export class RedriveJobs {
  readonly #parts: RedriveJobsParts;
  /** Jobs of this node, the queued ones last. */
  readonly #jobs = new Set<string>();
  readonly #running = new Map<string, JobRun>();

  constructor(parts: RedriveJobsParts) {
    this.#parts = parts;
  }

  /** Number of jobs that this node works on. */
  get running(): number {
    return Math.min(this.#jobs.size, MAX_JOBS_OF_NODE);
  }

  /** Begins a job, or queues it behind four others of the node. @throws MsgError MSG_INVALID_ARGUMENT for a sink with a job */
  async start({ letters, ...options }: NewJob): Promise<ListedJob> {
    const { store, clock, random, nodeId } = this.#parts;
    const groups = new Map(letters.map(({ group, lastError }) => [group, lastError]));
    const job: RedriveJob = {
      ...options,
      id: Buffer.from(random.bytes(ID_BYTES)).toString('hex'),
      state: this.#stateOfNext,
      matched: letters.length,
      sent: 0,
      parked: 0,
      skipped: 0,
      groups: [...groups].map(([group, sample]) => ({ group, sample, sent: 0, parked: 0 })),
      startedAt: clock.now(),
      endedAt: 0,
      ranMs: 0,
      node: nodeId(),
    };
    requireFree(
      job,
      await store.begin(
        job,
        letters.map(({ id }) => id),
      ),
    );
    this.#run(job);
    return { ...job, remaining: job.matched };
  }

  /** Goes on with an interrupted job. @throws MsgError MSG_INVALID_ARGUMENT for any other */
  async resume(id: string): Promise<ListedJob> {
    const listed = (await this.list()).find(candidate => candidate.id === id);
    if (listed === undefined) throw invalid(`there is no job ${JSON.stringify(id)}`);
    if (listed.state !== 'interrupted') throw invalid(`job ${id} is ${listed.state}, not interrupted`);
    const { remaining, ...earlier } = listed;
    const { matched, sent, parked } = earlier;
    // What was in work when the node died may have been sent: it is not sent again.
    const job: RedriveJob = {
      ...earlier,
      state: this.#stateOfNext,
      node: this.#parts.nodeId(),
      skipped: matched - sent - parked - remaining,
    };
    requireFree(job, await this.#parts.store.hold(job));
    await this.#parts.store.save(job);
    this.#run(job);
    return { ...job, remaining };
  }

  /** Ends a job within one send. @throws MsgError MSG_INVALID_ARGUMENT for an unknown one */
  async stop(id: string): Promise<void> {
    if (!(await this.list()).some(job => job.id === id))
      throw invalid(`there is no job ${JSON.stringify(id)}`);
    await this.#parts.store.requestStop(id);
    this.#running.get(id)?.stop();
  }

  /** The jobs of the last day on all nodes, the newest first. */
  async list(): Promise<readonly ListedJob[]> {
    return (await this.#parts.store.list()).map(({ job, remaining, isHeld }) => {
      const goesOn = job.endedAt === 0;
      const live = (goesOn && this.#running.get(job.id)?.job) || job;
      return { ...live, state: goesOn && !isHeld ? 'interrupted' : live.state, remaining };
    });
  }

  get #stateOfNext(): RedriveJob['state'] {
    return this.#jobs.size < MAX_JOBS_OF_NODE ? 'running' : 'queued';
  }

  /** A node works on its oldest jobs; as one ends, the next one has its turn. */
  #hasTurn(id: string): boolean {
    return [...this.#jobs].indexOf(id) < MAX_JOBS_OF_NODE;
  }

  #run(job: RedriveJob): void {
    const { onError, onEnded } = this.#parts;
    this.#jobs.add(job.id);
    const run = runJob(job, { ...this.#parts, hasTurn: id => this.#hasTurn(id) });
    this.#running.set(job.id, run);
    run.ended
      .then(last => {
        if (last.endedAt !== 0) onEnded(last);
      }, onError)
      .finally(() => {
        this.#jobs.delete(job.id);
        this.#running.delete(job.id);
      });
  }
}

/** @throws MsgError MSG_INVALID_ARGUMENT naming the job that holds the sink */
function requireFree({ sink }: RedriveJob, holder: string | undefined): void {
  if (holder !== undefined)
    throw invalid(`job ${holder} sends letters of ${sink} already: wait for its end, or stop it`);
}
