import type { MsgError, RpcMethodName } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { serverNow } from '../../app/session.ts';
import { ActButton } from '../../parts/act.tsx';
import { Command, Facts, State, type Tone } from '../../parts/basics.tsx';
import { Fault } from '../../parts/fault.tsx';
import { commandLine, counted, span, visible, whole } from '../../parts/text.ts';
import { Ago } from '../../parts/time.tsx';
import { call } from '../../rpc/client.ts';
import { reloadAll } from '../../rpc/use-call.ts';
import { isGoing, type Job } from './letters-of.ts';

const STATES: Readonly<Record<string, readonly [tone: Tone, words: string]>> = {
  queued: ['off', 'Waiting: its node runs as many jobs as it may'],
  running: ['ok', 'Running'],
  stopping: ['warn', 'Stopping'],
  stopped: ['off', 'Stopped'],
  done: ['ok', 'Done'],
  tripped: ['bad', 'Tripped: too many failures in a row'],
  interrupted: ['warn', 'Interrupted: its node died'],
};

/** How far a job is, which sends letters again. */
export function JobPanel({
  job,
  blocked,
}: {
  readonly job: Job;
  readonly blocked: string | undefined;
}): JSX.Element {
  const [error, setError] = useState<MsgError>();
  const { id, sink, state, matched, remaining } = job;
  const [tone, words] = STATES[state] ?? (['off', state] as const);
  const act = (work: Promise<unknown>): void => {
    setError(undefined);
    work.then(reloadAll, (cause: unknown) => setError(toMsgError(cause)));
  };
  const line = isGoing(job)
    ? commandLine('dlq', 'stop', id)
    : state === 'interrupted'
      ? commandLine('dlq', 'redrive', '--resume', id)
      : commandLine('dlq', 'jobs', id);
  return (
    <section class="panel job" aria-labelledby="job">
      <div class="line">
        <h2 id="job">{`Redrive of ${counted(matched, 'letter')} to ${visible(sink)}`}</h2>
        <State tone={tone}>{words}</State>
        <span class="small mute wrap">
          {`by ${visible(job.started_by) || 'an anonymous caller'}, `}
          <Ago at={job.started_at} />
        </span>
        <span class="grow" />
        <Command line={line} />
        {(state === 'queued' || state === 'running') && (
          <JobButton method="DlqJobStop" onAct={() => act(call('DlqJobStop', { job: id }))}>
            Stop
          </JobButton>
        )}
        {state === 'interrupted' && (
          <JobButton
            method="DlqRedrive"
            blocked={blocked}
            onAct={() => act(call('DlqRedrive', { resume: id }))}
          >
            Resume
          </JobButton>
        )}
      </div>
      <progress
        class="progress"
        max={Math.max(1, matched)}
        value={matched === 0 ? 1 : matched - remaining}
        aria-label="Progress of the redrive"
      />
      <JobFacts job={job} />
      {error !== undefined && <Fault error={error} />}
    </section>
  );
}

function JobButton({
  method,
  blocked,
  onAct,
  children,
}: {
  readonly method: RpcMethodName;
  readonly blocked?: string | undefined;
  readonly onAct: () => void;
  readonly children: string;
}): JSX.Element {
  return (
    <ActButton method={method} look="sm" blocked={blocked} onAct={onAct}>
      {children}
    </ActButton>
  );
}

function JobFacts({ job }: { readonly job: Job }): JSX.Element {
  const { matched, remaining, sent, parked, skipped, per_second: asked, had_per_second: had } = job;
  const left = had > 0 ? remaining / had : remaining / asked;
  const worst = job.groups.toSorted((one, other) => other.parked - one.parked)[0];
  return (
    <>
      <Facts
        rows={[
          ['Done', `${whole(matched - remaining)} of ${whole(matched)}`],
          ['Sent', <span class="strong">{whole(sent)}</span>],
          ['Parked again', whole(parked)],
          ['Gone or claimed', whole(skipped)],
          ['Rate', `${had}/s of ${asked}/s, ${job.concurrency} at a time`],
          ['Stops after', counted(job.stop_after_failures, 'failure in a row', 'failures in a row')],
          [isGoing(job) ? 'Left' : 'Took', isGoing(job) ? `about ${span(left * 1000)}` : span(lasted(job))],
        ]}
      />
      {worst !== undefined && worst.parked > 0 && (
        <p class="small soft wrap">{`Most failures: ${visible(worst.sample)}`}</p>
      )}
    </>
  );
}

function lasted({ started_at: start, ended_at: end }: Job): number {
  return (end === '' ? serverNow() : Date.parse(end)) - Date.parse(start);
}
