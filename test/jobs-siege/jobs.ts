import type { RpcResponse } from '@msg/core';
import { eventually } from '@msg/testkit';
import type { Prng } from '../../packages/engine/test/model/prng.ts';
import { DEAD, type Node, SINKS } from './nodes.ts';
import type { Stage } from './siege.ts';

export type Job = RpcResponse<'DlqJobs'>['jobs'][number];

const MOST = 500;
const PATIENT_MS = 120_000;
const OVER: ReadonlySet<string> = new Set(['done', 'stopped', 'tripped']);

export const jobsOf = async ({ rpc }: Node): Promise<readonly Job[]> => (await rpc.call('DlqJobs', {})).jobs;

/** A job for each sink that has none, at drawn nodes. */
export async function beginJobs({ nodes, ledger, random, owners }: Stage): Promise<void> {
  const going = (await jobsOf(nodes.at(0))).filter(({ state }) => !OVER.has(state));
  const first = random.below(nodes.count);
  for (const [index, sink] of SINKS.entries()) {
    const ids = ledger.open(sink).map(({ id }) => id);
    if (going.some(job => job.sink === sink) || ids.length === 0) continue;
    // Each node has one: whichever is killed, a job is interrupted.
    const owner = (first + index) % nodes.count;
    const { job } = await nodes.at(owner).rpc.call('DlqRedrive', {
      sink,
      ids: ids.slice(0, MOST),
      per_second: random.between(5, 10),
      concurrency: random.between(1, 6),
      stop_after_failures: MOST,
    });
    owners.set(job?.id ?? '', owner);
  }
}

/** Sends to a destination that takes nothing, until the job trips. @returns what is wrong */
export async function tripJob(
  { rpc }: Node,
  random: Prng,
  arrivals: () => number,
): Promise<string | undefined> {
  const [failures, concurrency] = [random.between(1, 6), random.between(1, 5)];
  const before = arrivals();
  const { job } = await rpc.call('DlqRedrive', {
    sink: DEAD,
    all: true,
    per_second: 500,
    concurrency,
    stop_after_failures: failures,
  });
  let state = '';
  await eventually(
    'the job trips',
    async () => {
      const { jobs } = await rpc.call('DlqJobs', { job: job?.id ?? '' });
      state = jobs.find(({ id }) => id === job?.id)?.state ?? '';
      return OVER.has(state);
    },
    PATIENT_MS,
  );
  const sends = arrivals() - before;
  if (state !== 'tripped') return `a job to a dead destination is ${state}`;
  if (sends < failures || sends > failures + concurrency)
    return `a dead destination got ${sends} sends of a job with ${failures} failures and ${concurrency} at a time`;
  return undefined;
}

/** Waits until jobs whose node was killed are interrupted. @returns those that had not ended by themselves before */
export async function interruptedOf(living: Node, held: readonly Job[]): Promise<readonly Job[]> {
  let found: readonly Job[] = [];
  await eventually(
    'the jobs are interrupted',
    async () => {
      const ids = new Set(held.map(({ id }) => id));
      found = (await jobsOf(living)).filter(({ id }) => ids.has(id));
      return found.every(({ state }) => state === 'interrupted' || OVER.has(state));
    },
    PATIENT_MS,
  );
  return found.filter(({ state }) => state === 'interrupted');
}

/** Waits until every job has ended. */
export function allEnded(node: Node): Promise<void> {
  return eventually(
    'the end of all jobs',
    async () => (await jobsOf(node)).every(({ state }) => OVER.has(state)),
    PATIENT_MS,
  );
}

/** A job that has ended counts each of its letters once. */
export function sumFaults(jobs: readonly Job[]): string[] {
  return jobs
    .filter(
      ({ matched, sent, parked, skipped, remaining }) => sent + parked + skipped + remaining !== matched,
    )
    .map(job => `job ${job.id} is ${job.state} and does not count its letters once: ${JSON.stringify(job)}`);
}
