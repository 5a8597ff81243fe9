import { count, type SettingGroup, switchFlag, valueFlag } from '@msg/command-line';
import { resolveAll, safeText } from '@msg/command-line/internal';
import { METHODS, type RpcResponse } from '@msg/core';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { callsOf, type MsgCommand, rpcCommand, withOutput } from './command.ts';
import type { CliEnvironment } from './io.ts';

/** Between two looks at a recording. */
const LOOK_MS = 500;

type Frame = RpcResponse<'GetRecording'>['frames'][number];

const CLIENT = { name: 'client', help: 'id of a connection, as `msg connections list` shows it' };
const RECORDING = { name: 'recording', help: 'id of a recording, as `msg recordings start` says it' };

const SETTINGS = {
  seconds: valueFlag('--seconds', count, 60, 'how long, up to 600'),
  payloads: switchFlag('--payloads', 'keep payloads too, not only their sizes'),
} as const satisfies SettingGroup;

/** A frame as one line: its JSON, or for people time, direction and what it is. */
function frameLine({ table }: CliEnvironment, frame: Frame): string {
  if (table === undefined) return JSON.stringify(frame);
  const { at, direction, name, channel, code, size, detail, error } = frame;
  const arrow = direction === 'in' ? '→' : '←';
  const words = [name || error, channel, code === 0 ? '' : String(code), detail === '{}' ? '' : detail];
  const said = words.filter(word => word !== '').join(' ');
  return `${table.style.label(at.slice(11))}  ${arrow} ${safeText(said)}  ${size} B`;
}

const record: MsgCommand = {
  name: 'connections record',
  args: [CLIENT],
  summary: 'print what passes between one client and the service, both directions, one line each',
  detail:
    'The client cannot tell. Tokens are shown as what they say about themselves, never as text; payloads as their size ' +
    'unless --payloads is given. Ends after --seconds, with the connection, or with Ctrl-C; the last 500 frames can be read ' +
    'for a minute after that.',
  settings: { ...SETTINGS, ...CLIENT_SETTINGS },
  examples: [
    {
      line: 'connections record 50f649f2-e4f5-41c0-9325-3ae2e97af65e --seconds 30',
      help: 'what does it send?',
    },
  ],
  async run(invocation) {
    const io = withOutput(invocation);
    const { seconds, payloads } = resolveAll(SETTINGS, invocation.sources);
    const { call } = await callsOf(invocation);
    const { recording, until } = await call('StartRecording', {
      client: invocation.args[0] ?? '',
      seconds,
      payloads,
    });
    io.err(`recording ${recording} until ${until}\n`);
    const stop = (): void => void call('StopRecording', { recording }).catch(() => {}); // its end is printed
    process.once('SIGINT', stop);
    try {
      for (let after = 0, state = 'running'; ; ) {
        const page = await call('GetRecording', { recording, after });
        for (const frame of page.frames) io.out(`${frameLine(io, frame)}\n`);
        await io.outTaken();
        after = page.next;
        // What came before the end is read first.
        if (page.frames.length === 0 && state !== 'running') break;
        state = page.state;
        if (page.frames.length === 0) await new Promise(resolve => setTimeout(resolve, LOOK_MS));
        if (state !== 'running' && page.frames.length === 0) {
          io.err(
            `the recording has ended: ${state}${page.dropped > 0 ? `; ${page.dropped} frames lost` : ''}\n`,
          );
        }
      }
    } finally {
      process.off('SIGINT', stop);
    }
  },
};

const start = rpcCommand({
  name: 'recordings start',
  args: [CLIENT],
  summary: 'begin a recording, which goes on without this command',
  method: 'StartRecording',
  settings: SETTINGS,
  examples: [
    { line: 'recordings start 50f649f2-e4f5-41c0-9325-3ae2e97af65e --seconds 600', help: 'ten minutes' },
  ],
  async action(call, { args: [client = ''], settings }) {
    return { kind: 'msg.recording.started', payload: await call({ client, ...settings }) };
  },
});

const get = rpcCommand({
  name: 'recordings get',
  args: [RECORDING],
  summary: 'the frames of a recording, also for a minute after its end',
  method: 'GetRecording',
  settings: { after: valueFlag('--after', count, 0, 'only frames behind this number') },
  examples: [{ line: 'recordings get mfzwizltoq2gc3tbmfzwizltoq', help: 'from any node' }],
  async action(call, { args: [recording = ''], settings }) {
    const payload = METHODS.GetRecording.response.write(await call({ recording, ...settings })) as object; // its JSON form
    return { kind: 'msg.recording.get', payload };
  },
});

const stop = rpcCommand({
  name: 'recordings stop',
  args: [RECORDING],
  summary: 'end a recording; what it has can be read for a minute',
  method: 'StopRecording',
  examples: [{ line: 'recordings stop mfzwizltoq2gc3tbmfzwizltoq', help: 'on whichever node it is' }],
  async action(call, { args: [recording = ''] }) {
    await call({ recording });
    return { kind: 'msg.recording.stopped', payload: { recording } };
  },
});

/** `connections record` and `recordings …`. */
export const recordingCommands: readonly MsgCommand[] = [record, start, get, stop];
