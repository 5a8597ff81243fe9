import type { MsgError, RpcRequest, RpcResponse, Sparse } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { serverNow } from '../../app/session.ts';
import { Confirm, say } from '../../parts/act.tsx';
import { Fault } from '../../parts/fault.tsx';
import { commandLine, counted, span } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { reloadAll } from '../../rpc/use-call.ts';
import { recipientText } from './letters-of.ts';

/** Which letters go again: picked ones, a group, or all of a sink. */
export type Redriven = { readonly count: number; readonly oldest: string } & (
  | { readonly by: 'ids'; readonly ids: readonly string[] }
  | { readonly by: 'group'; readonly group: string }
  | { readonly by: 'all' }
);

/** More than these have to be typed. */
const MANY = 50;

function whichOf(redriven: Redriven): Sparse<RpcRequest<'DlqRedrive'>> {
  if (redriven.by === 'ids') return { ids: redriven.ids };
  return redriven.by === 'group' ? { group: redriven.group } : { all: true };
}

function flagsOf(redriven: Redriven): string[] {
  if (redriven.by === 'ids') return redriven.ids.flatMap(id => ['--id', id]);
  return redriven.by === 'group' ? ['--group', redriven.group] : ['--all'];
}

/** A number within bounds, or undefined. */
function within(text: string, least: number, most: number): number | undefined {
  if (!/^\d{1,5}(?:\.\d{1,3})?$/.test(text)) return undefined;
  const number = Number(text);
  return number >= least && number <= most ? number : undefined;
}

function whole(number: number | undefined): number | undefined {
  return Number.isInteger(number) ? number : undefined;
}

/** Sends many letters again, at a rate. */
export function RedriveDialog({
  sink,
  redriven,
  onClose,
}: {
  readonly sink: string;
  readonly redriven: Redriven;
  readonly onClose: () => void;
}): JSX.Element {
  const { count, oldest } = redriven;
  const [rateText, setRate] = useState('5');
  const [atOnceText, setAtOnce] = useState('4');
  const [failuresText, setFailures] = useState('10');
  const [retries, setRetries] = useState(false);
  const rate = within(rateText, 0.1, 1000);
  const atOnce = whole(within(atOnceText, 1, 16));
  const failures = whole(within(failuresText, 1, 10_000));
  const isReady = rate !== undefined && atOnce !== undefined && failures !== undefined;
  const request = {
    sink,
    ...whichOf(redriven),
    per_second: rate ?? 0,
    concurrency: atOnce ?? 0,
    stop_after_failures: failures ?? 0,
    retries,
  };
  const those = counted(count, 'letter');
  return (
    <Confirm
      title={`Redrive ${those} to ${sink}?`}
      verb={`Redrive ${those}`}
      line={commandLine(
        'dlq',
        'redrive',
        sink,
        ...flagsOf(redriven),
        ...(rateText === '5' ? [] : ['--per-second', rateText]),
        ...(atOnceText === '4' ? [] : ['--concurrency', atOnceText]),
        ...(failuresText === '10' ? [] : ['--stop-after-failures', failuresText]),
        ...(retries ? ['--retries'] : []),
      )}
      {...(count > MANY ? { typed: String(count) } : {})}
      isReady={isReady}
      onClose={onClose}
      act={async () => {
        await call('DlqRedrive', request);
        say(`Started the redrive of ${those}.`);
        reloadAll();
      }}
    >
      <p>
        {`Each letter is sent ${retries ? 'by the policy of the sink' : 'once'}, the oldest first. Letters that are parked later are not included. Recipients get messages that are up to ${span(serverNow() - Date.parse(oldest))} old.`}
      </p>
      <div class="pair">
        <NumberField
          id="redrive-rate"
          label="Letters a second"
          text={rateText}
          onText={setRate}
          help={rate === undefined ? '0.1 to 1,000' : `Takes about ${span((count / rate) * 1000)}`}
          isBad={rate === undefined}
        />
        <NumberField
          id="redrive-at-once"
          label="Sends at a time"
          text={atOnceText}
          onText={setAtOnce}
          help="1 to 16"
          isBad={atOnce === undefined}
        />
        <NumberField
          id="redrive-failures"
          label="Stop after failures in a row"
          text={failuresText}
          onText={setFailures}
          help="Protects a destination that is down"
          isBad={failures === undefined}
        />
      </div>
      <label class="line tight fixed">
        <input
          type="checkbox"
          checked={retries}
          onChange={event => setRetries(event.currentTarget.checked)}
        />
        Retry each letter by the policy of the sink
      </label>
      <DryRun request={request} isReady={isReady} />
    </Confirm>
  );
}

function NumberField(props: {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly help: string;
  readonly isBad: boolean;
}): JSX.Element {
  const { id, label, text, onText, help, isBad } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        class="input"
        id={id}
        inputMode="decimal"
        autocomplete="off"
        aria-invalid={isBad}
        aria-describedby={`${id}-help`}
        value={text}
        onInput={event => onText(event.currentTarget.value.trim())}
      />
      <span class="help" id={`${id}-help`}>
        {help}
      </span>
    </div>
  );
}

/** What a job would send, without sending. */
function DryRun({
  request,
  isReady,
}: {
  readonly request: Sparse<RpcRequest<'DlqRedrive'>>;
  readonly isReady: boolean;
}): JSX.Element {
  const [answer, setAnswer] = useState<RpcResponse<'DlqRedrive'>>();
  const [error, setError] = useState<MsgError>();
  const ask = (): void => {
    setError(undefined);
    call('DlqRedrive', { ...request, dry_run: true }).then(setAnswer, (cause: unknown) =>
      setError(toMsgError(cause)),
    );
  };
  return (
    <div class="stack s3">
      <div>
        <button class="btn sm" type="button" disabled={!isReady} onClick={ask}>
          Dry run
        </button>
      </div>
      <div role="status">
        {answer !== undefined && (
          <p class="small soft wrap">
            {`${counted(answer.matched, 'letter')} now. ${answer.samples.length > 0 ? `The first: ${answer.samples.map(recipientText).join(', ')}.` : ''} Nothing was sent.`}
          </p>
        )}
      </div>
      {error !== undefined && <Fault error={error} />}
    </div>
  );
}
