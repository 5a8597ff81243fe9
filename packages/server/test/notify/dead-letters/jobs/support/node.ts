import { systemRandom } from '@msg/foundation/clock';
import type { ManualClock } from '@msg/foundation/clock/testing';
import { composeNotify } from '#src/notify/compose.ts';
import type { DeadLetterQueue } from '#src/notify/dead-letters/contract.ts';
import type { JobStore } from '#src/notify/dead-letters/jobs/contract.ts';
import type { ListedJob } from '#src/notify/dead-letters/jobs/redrive.ts';
import { MemoryDeadLetterQueue } from '#src/notify/dead-letters/memory.ts';
import { silentLogger } from '#src/observability/logger.ts';

/** A node with a sink `hook` whose answers the test decides, and what it was sent. */
export function startNode(
  clock: ManualClock,
  queue: DeadLetterQueue,
  jobs: JobStore,
  answer: (body: string) => boolean | Promise<boolean>,
) {
  const sends: string[] = [];
  const delivered: string[] = [];
  const notify = composeNotify(
    {
      sinks: [
        {
          name: 'hook',
          decodeRecipient: stored => stored,
          async send(_recipient, { body = '' }) {
            sends.push(body);
            if (!(await answer(body))) throw new Error('webhook returned 503');
            delivered.push(body);
          },
        },
      ],
    },
    {
      queue,
      jobs,
      clock,
      random: systemRandom,
      logger: silentLogger,
      nodeId: () => 'a',
      late: { metrics: { sinkAttempted() {}, recipientGone() {} } },
      onJobEnded: () => {},
      onError: error => {
        throw error;
      },
    },
  );
  return { ...notify, sends, delivered };
}
export type TestNode = ReturnType<typeof startNode>;

/** Puts letters `n0`, `n1` … into a queue: of two groups in turn, the oldest first. */
export async function fill<Q extends DeadLetterQueue>(queue: Q, count: number): Promise<Q> {
  for (let index = 0; index < count; index++) {
    const message = { subject: '', body: `n${index}`, metadata: {} };
    const lastError = index % 2 === 0 ? 'webhook returned 503' : 'no route to host';
    const letter = { sink: 'hook', channel: '', recipient: null, message, lastError };
    await queue.push({ ...letter, attempts: 1, parkedAt: index + 1 });
  }
  return queue;
}

export const OPTIONS = { perSecond: 10, concurrency: 1, stopAfterFailures: 10, retries: false };

export async function begin({ jobLetters, redriveJobs }: TestNode, changes: Partial<typeof OPTIONS> = {}) {
  const letters = await jobLetters.select('hook', () => true);
  return redriveJobs.start({ ...OPTIONS, ...changes, sink: 'hook', letters, startedBy: 'ann' });
}

/** Begins a job of each of so many sinks, two letters for each. */
export async function beginMany(node: TestNode, count: number): Promise<ListedJob[]> {
  const letters = await node.jobLetters.select('hook', () => true);
  const jobs: ListedJob[] = [];
  for (let sink = 0; sink < count; sink++) {
    const own = letters.slice(2 * sink, 2 * sink + 2);
    const job = { ...OPTIONS, perSecond: 0.1, sink: `hook-${sink}`, letters: own, startedBy: 'ann' };
    jobs.push(await node.redriveJobs.start(job));
  }
  return jobs;
}

/** Lets time pass until the job has ended. */
export async function endOf(clock: ManualClock, { redriveJobs }: TestNode, id: string): Promise<ListedJob> {
  for (let second = 0; second < 10_000; second++) {
    const job = (await redriveJobs.list()).find(candidate => candidate.id === id);
    if (job !== undefined && job.endedAt !== 0) return job;
    await clock.advance(1000);
  }
  throw new Error('the job does not end');
}

export function queueOf(count: number): Promise<MemoryDeadLetterQueue> {
  return fill(new MemoryDeadLetterQueue(systemRandom), count);
}
