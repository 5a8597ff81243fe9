import { count, defaultFlag, list, scalarType, switchFlag, valueFlag } from '@msg/command-line';
import { resolveAll } from '@msg/command-line/internal';
import { METHODS, MsgError, type RpcResponse } from '@msg/core';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { callsOf, type MsgCommand, printResult, rpcCommand, withOutput } from './command.ts';

/** Between two looks at a job. */
const LOOK_MS = 1000;

/** A number of letters in a second. */
const rate = scalarType<number>({
  placeholder: 'n',
  parse: text => (/^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : undefined),
  format: String,
  show: value => value,
  expected: 'a number such as 5 or 0.5',
});

const SETTINGS = {
  id: valueFlag('--id', list, [], 'only this letter; repeatable'),
  group: defaultFlag('--group', 'text', '', 'only letters of this group, as `msg dlq groups` shows it'),
  all: switchFlag('--all', 'every letter that is there now'),
  perSecond: valueFlag('--per-second', rate, 5, 'letters in a second, 0.1 to 1,000'),
  concurrency: valueFlag('--concurrency', count, 4, 'sends at a time, 1 to 16'),
  stopAfterFailures: valueFlag('--stop-after-failures', count, 10, 'so many failures in a row end the job'),
  retries: switchFlag('--retries', 'try each letter by the policy of the sink, not once'),
  dryRun: switchFlag('--dry-run', 'send nothing: how many are there, and three of them'),
  resume: defaultFlag('--resume', 'text', '', 'go on with this interrupted job'),
} as const;

type Job = NonNullable<RpcResponse<'DlqRedrive'>['job']>;

function progressOf({ state, sent, parked, skipped, remaining }: Job): string {
  return `${state}: ${sent} sent, ${parked} failed again, ${skipped} skipped, ${remaining} to go`;
}

const redrive: MsgCommand = {
  name: 'dlq redrive',
  args: [{ name: 'sink', help: 'name of a sink, as the manifest shows it', optional: true }],
  summary: 'send many dead letters again, at a rate, the oldest first',
  detail:
    'A job does it on the server; its progress is on standard error until it ends. Ctrl-C asks the job to stop. Say one of ' +
    '--id, --group and --all, or --resume alone. A job whose node died goes on with --resume; what was in work then is not ' +
    'sent twice. The command exits with 1 when failures in a row ended the job.',
  method: 'DlqRedrive',
  settings: { ...SETTINGS, ...CLIENT_SETTINGS },
  examples: [
    { line: 'dlq redrive orders --all --dry-run', help: 'how many would be sent?' },
    {
      line: 'dlq redrive orders --group 0a1b2c3d4e5f6a7b --per-second 2',
      help: 'one problem at a time, gently',
    },
  ],
  async run(invocation) {
    const io = withOutput(invocation);
    const { id, perSecond, stopAfterFailures, dryRun, ...rest } = resolveAll(SETTINGS, invocation.sources);
    const { call } = await callsOf(invocation);
    const begun = await call('DlqRedrive', {
      ...rest,
      sink: invocation.args[0] ?? '',
      ids: id,
      per_second: perSecond,
      stop_after_failures: stopAfterFailures,
      dry_run: dryRun,
    });
    const job = begun.job === null ? null : await ended(begun.job);
    const payload = METHODS.DlqRedrive.response.write({ ...begun, job }) as object; // its JSON form
    printResult(io, { kind: 'msg.dlq.redrive', payload });
    if (job?.state === 'tripped')
      throw new MsgError('MSG_SINK_UNAVAILABLE', `job ${job.id} ended after failures in a row`);

    async function ended(first: Job): Promise<Job> {
      const stop = (): void => void call('DlqJobStop', { job: first.id }).catch(() => {}); // the progress goes on
      io.interrupted().addEventListener('abort', stop);
      for (let current = first, printed = ''; ; ) {
        const line = progressOf(current);
        if (line !== printed) io.err(`${current.id} ${line}\n`);
        printed = line;
        if (current.ended_at !== '' || current.state === 'interrupted') return current;
        await new Promise(resolve => setTimeout(resolve, LOOK_MS));
        current = (await call('DlqJobs', { job: first.id })).jobs[0] ?? current;
      }
    }
  },
};

const jobs = rpcCommand({
  name: 'dlq jobs',
  args: [{ name: 'job', help: 'id of a job; absent: all of the last day', optional: true }],
  summary: 'jobs that send dead letters again, on all nodes, the newest first',
  method: 'DlqJobs',
  examples: [{ line: 'dlq jobs', help: 'how far is it?' }],
  async action(call, { args: [job = ''] }) {
    return { kind: 'msg.dlq.jobs', payload: await call({ job }) };
  },
});

const stop = rpcCommand({
  name: 'dlq stop',
  args: [{ name: 'job', help: 'id of a job, as `msg dlq jobs` shows it' }],
  summary: 'end a job within one send; what it did not send stays parked',
  method: 'DlqJobStop',
  examples: [{ line: 'dlq stop 0a1b2c3d4e5f6a7b', help: 'on whichever node it is' }],
  async action(call, { args: [job = ''] }) {
    await call({ job });
    return { kind: 'msg.dlq.job_stopped', payload: { job } };
  },
});

/** `dlq redrive`, `dlq jobs` and `dlq stop`. */
export const redriveCommands: readonly MsgCommand[] = [redrive, jobs, stop];
