import type { MsgError, RpcResponse } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { clock } from '../../app/clock.ts';
import { refusalOf } from '../../app/session.ts';
import { ActButton } from '../../parts/act.tsx';
import { Command, Empty, Name, State } from '../../parts/basics.tsx';
import { Fault } from '../../parts/fault.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { bytes, commandLine, visible, whole } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';

type Frame = RpcResponse<'GetRecording'>['frames'][number];

const LOOK_MS = 1000;
const MAX_FRAMES = 500;
const SECONDS = [30, 60, 300, 600];

const ENDS: Readonly<Record<string, string>> = {
  time: 'The time is over',
  stopped: 'Stopped',
  closed: 'The connection ended',
  rights: 'The caller lost the right to record',
};

const COLUMNS: readonly Column<Frame>[] = [
  {
    label: 'Time',
    show: ({ at }) => (
      <time dateTime={at} title={at}>
        {at.slice(11, 23)}
      </time>
    ),
  },
  {
    label: 'Direction',
    show: ({ direction }) => (direction === 'in' ? 'from client' : 'to client'),
    isSecond: true,
  },
  {
    label: 'What',
    show: ({ name, code, error }) => (
      <span class="wrap">
        {name === '' ? <span class="mute">{visible(error)}</span> : visible(name)}
        {code > 0 && ` ${code}`}
      </span>
    ),
  },
  { label: 'Channel', show: ({ channel }) => (channel === '' ? '–' : <Name text={channel} />), isFull: true },
  { label: 'Details', show: ({ detail }) => (detail === '{}' ? '–' : <Name text={detail} />), isFull: true },
  { label: 'Size', show: ({ size }) => bytes(size), isNumber: true },
];

interface Recording {
  readonly id: string;
  readonly frames: readonly Frame[];
  readonly state: string;
  readonly dropped: number;
}

/** Records what passes between one client and the service. */
export function Recorder({ client }: { readonly client: string }): JSX.Element {
  const [recording, setRecording] = useState<Recording>();
  const [seconds, setSeconds] = useState(60);
  const [payloads, setPayloads] = useState(false);
  const [fault, setFault] = useState<MsgError>();
  const id = recording?.id ?? '';
  const isRunning = recording?.state === 'running';
  useEffect(() => {
    if (id === '') return;
    return follow(id, setRecording, setFault);
  }, [id]);
  const start = async (): Promise<void> => {
    try {
      const started = await call('StartRecording', { client, seconds, payloads });
      setFault(undefined);
      setRecording({ id: started.recording, frames: [], state: 'running', dropped: 0 });
    } catch (error) {
      setFault(toMsgError(error));
    }
  };
  const line = commandLine(
    'connections',
    'record',
    client,
    '--seconds',
    String(seconds),
    ...(payloads ? ['--payloads'] : []),
  );
  return (
    <section class="panel" aria-labelledby="recorder">
      <header>
        <h2 id="recorder">Flight recorder</h2>
        {recording !== undefined && (
          <State tone={isRunning ? 'ok' : 'off'}>
            {isRunning ? 'Recording' : (ENDS[recording.state] ?? recording.state)}
          </State>
        )}
      </header>
      <div class="inner line">
        {isRunning ? (
          <ActButton
            method="StopRecording"
            onAct={() => void call('StopRecording', { recording: id }).catch(() => {})}
          >
            Stop recording
          </ActButton>
        ) : (
          <>
            <ActButton method="StartRecording" onAct={() => void start()}>
              Record
            </ActButton>
            <select
              class="select auto"
              aria-label="How long"
              value={String(seconds)}
              onChange={event => setSeconds(Number(event.currentTarget.value))}
            >
              {SECONDS.map(one => (
                <option key={one} value={String(one)}>{`For ${one} s`}</option>
              ))}
            </select>
            <label class="line tight fixed small">
              <input
                type="checkbox"
                checked={payloads}
                onChange={event => setPayloads(event.currentTarget.checked)}
              />
              with payloads
            </label>
          </>
        )}
        <span class="grow" />
        <Command line={line} />
      </div>
      {fault !== undefined && <Fault error={fault} />}
      {recording === undefined || recording.frames.length === 0 ? (
        <Empty title={isRunning ? 'Nothing has passed yet' : 'Nothing is recorded'}>
          {refusalOf('StartRecording') ??
            'Records both directions of this connection for a limited time. The client cannot tell. Tokens are never shown, payloads only on request.'}
        </Empty>
      ) : (
        <Table
          caption="What passed, the newest first"
          columns={COLUMNS}
          rows={recording.frames}
          keyOf={frame => `${frame.number} ${recording.frames.indexOf(frame)}`}
        />
      )}
      {recording !== undefined && recording.dropped > 0 && (
        <footer>{`${whole(recording.dropped)} older frames were dropped`}</footer>
      )}
    </section>
  );
}

/** Reads a recording every second until its end. */
function follow(
  id: string,
  setRecording: (change: (before: Recording | undefined) => Recording | undefined) => void,
  setFault: (fault: MsgError) => void,
): () => void {
  let isOver = false;
  let timer: ReturnType<typeof clock.setTimeout> | undefined;
  const look = async (after: number): Promise<void> => {
    const page = await call('GetRecording', { recording: id, after });
    if (isOver) return;
    setRecording(before =>
      before === undefined
        ? before
        : {
            id,
            frames: [...page.frames.toReversed(), ...before.frames].slice(0, MAX_FRAMES),
            state: page.frames.length > 0 ? before.state : page.state,
            dropped: page.dropped,
          },
    );
    if (page.state !== 'running' && page.frames.length === 0) return;
    timer = clock.setTimeout(() => void look(page.next).catch(failed), page.frames.length > 0 ? 0 : LOOK_MS);
  };
  const failed = (error: unknown): void => {
    if (!isOver) setFault(toMsgError(error));
  };
  look(0).catch(failed);
  return () => {
    isOver = true;
    if (timer !== undefined) clock.clearTimeout(timer);
  };
}
