import { MsgError, type RpcRequest, type RpcResponse } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { AccessControl } from '../auth/access/access-control.ts';
import { actorOf } from '../auth/access/actor.ts';
import { maskedText } from '../auth/access/masked.ts';
import type { DeadLetters } from '../notify/dead-letters/dead-letters.ts';
import type { JobLetter } from '../notify/dead-letters/jobs/contract.ts';
import type { LettersOfJobs } from '../notify/dead-letters/jobs/letters.ts';
import type { ListedJob, RedriveJobs } from '../notify/dead-letters/jobs/redrive.ts';
import type { RpcHandlers } from './call.ts';
import { boundedIds, dlqItem } from './dead-letters.ts';
import { ANSWER_BYTES, withinAnswer } from './page-bytes.ts';

type RedriveMethods = 'DlqRedrive' | 'DlqJobs' | 'DlqJobStop';
type Request = RpcRequest<'DlqRedrive'>;
type Job = RpcResponse<'DlqJobs'>['jobs'][number];

const SAMPLES = 3;
const DEFAULT_PER_SECOND = 5;
const MIN_PER_SECOND = 0.1;
const MAX_PER_SECOND = 1000;
const DEFAULT_CONCURRENCY = 4;
const MAX_CONCURRENCY = 16;
const DEFAULT_FAILURES = 10;
const MAX_FAILURES = 10_000;
/** Groups of a job in an answer: those with the most letters. */
const MOST_GROUPS = 200;

export interface RedriveHandlerParts {
  readonly deadLetters: DeadLetters;
  readonly jobLetters: LettersOfJobs;
  readonly redriveJobs: RedriveJobs;
  readonly access: Pick<AccessControl, 'showsPayloads'>;
}

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

/** A number of a request: 0 is the default. @throws MsgError MSG_INVALID_ARGUMENT outside of the range */
function within(
  member: string,
  value: number,
  [fallback, least, most]: readonly [number, number, number],
): number {
  if (value === 0) return fallback;
  if (value >= least && value <= most) return value;
  throw invalid(`${member} must be from ${least} to ${most}; got ${value}`);
}

/** Which letters a job is for. @throws MsgError MSG_INVALID_ARGUMENT for none, or several ways to say it */
function selectionOf({ sink, ids, group, all }: Request): (letter: JobLetter) => boolean {
  if (sink === '') throw invalid('sink is required');
  if ([ids.length > 0, group !== '', all].filter(Boolean).length !== 1)
    throw invalid('exactly one of ids, group and all is required');
  const wanted = new Set(boundedIds(ids));
  if (group !== '') return letter => letter.group === group;
  return letter => all || wanted.has(letter.id);
}

/**
 * Letters in a second that a job made, two decimals: each of them has its period, so that the first one counts for as long
 * as the job waits for the next.
 */
function hadPerSecond({ sent, parked, ranMs, perSecond }: ListedJob): number {
  const made = sent + parked;
  const tookMs = Math.max(ranMs, (made * 1000) / perSecond);
  return tookMs === 0 ? 0 : Math.round(made / (tookMs / 100_000)) / 100;
}

function jobOf(job: ListedJob): Job {
  const { sent, parked, groups } = job;
  const most = groups.toSorted((a, b) => b.sent + b.parked - a.sent - a.parked);
  return {
    id: job.id,
    sink: job.sink,
    state: job.state,
    matched: job.matched,
    sent,
    parked,
    skipped: job.skipped,
    remaining: job.remaining,
    groups: most.slice(0, MOST_GROUPS),
    per_second: job.perSecond,
    had_per_second: hadPerSecond(job),
    concurrency: job.concurrency,
    stop_after_failures: job.stopAfterFailures,
    retries: job.retries,
    started_by: job.startedBy,
    started_at: formatTimestamp(job.startedAt),
    ended_at: job.endedAt === 0 ? '' : formatTimestamp(job.endedAt),
    node: job.node,
  };
}

/** A job for a caller that does not see messages. */
function maskedJob(job: Job): Job {
  return { ...job, groups: job.groups.map(group => ({ ...group, sample: maskedText(group.sample) })) };
}

/** Handlers of jobs that send dead letters again. */
export function redriveHandlers({
  deadLetters,
  jobLetters,
  redriveJobs,
  access,
}: RedriveHandlerParts): Pick<RpcHandlers, RedriveMethods> {
  return {
    async DlqRedrive(request, { principal }) {
      if (request.resume !== '')
        return { job: jobOf(await redriveJobs.resume(request.resume)), matched: 0, samples: [] };
      const options = {
        perSecond: within('per_second', request.per_second, [
          DEFAULT_PER_SECOND,
          MIN_PER_SECOND,
          MAX_PER_SECOND,
        ]),
        concurrency: within('concurrency', request.concurrency, [DEFAULT_CONCURRENCY, 1, MAX_CONCURRENCY]),
        stopAfterFailures: within('stop_after_failures', request.stop_after_failures, [
          DEFAULT_FAILURES,
          1,
          MAX_FAILURES,
        ]),
      };
      const { sink, retries } = request;
      const letters = await jobLetters.select(sink, selectionOf(request));
      if (request.dry_run) {
        const samples = await Promise.all(letters.slice(0, SAMPLES).map(({ id }) => deadLetters.get(id)));
        return {
          job: null,
          matched: letters.length,
          samples: samples.map(letter => dlqItem(deadLetters, letter, ANSWER_BYTES / SAMPLES)),
        };
      }
      const job = await redriveJobs.start({
        ...options,
        sink,
        retries,
        letters,
        startedBy: actorOf(principal).actor,
      });
      return { job: jobOf(job), matched: letters.length, samples: [] };
    },
    async DlqJobs({ job: id }, { principal }) {
      const listed = await redriveJobs.list();
      const jobs = listed.filter(job => id === '' || job.id === id).map(jobOf);
      const { rows, more } = withinAnswer(access.showsPayloads(principal) ? jobs : jobs.map(maskedJob));
      return { jobs: rows, more };
    },
    async DlqJobStop({ job }) {
      if (job === '') throw invalid('job is required');
      await redriveJobs.stop(job);
      return {};
    },
  };
}
