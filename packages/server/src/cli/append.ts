import { choice, defaultFlag, switchFlag, textFlag, valueFlag } from '@msg/command-line';
import { resolveAll } from '@msg/command-line/internal';
import {
  type AppendStreamOptions,
  type AppendStreamResult,
  type AppendWriter,
  appendStream,
  isMsgError,
  METHODS,
  MsgError,
  type WriterSink,
} from '@msg/core';
import { defined, isRecord } from '@msg/foundation/json';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { duration } from '../config/setting-types.ts';
import { itemsOf, TextInput } from './append-input.ts';
import { callsOf, type MsgCommand, printResult, withOutput } from './command.ts';

const SETTINGS = {
  message: defaultFlag('--message', 'text', '', 'id of the message; absent: a random one'),
  run: defaultFlag('--run', 'text', '', "the application's run, for its readers"),
  input: defaultFlag('--input', 'text', '', 'the request that the message answers'),
  meta: defaultFlag('--meta', 'json', '', 'a JSON object for the readers'),
  items: switchFlag('--items', 'each line of the input is one JSON value'),
  onFull: valueFlag(
    '--on-full',
    choice('roll', 'fail'),
    'roll',
    'when the message is as large as the channel allows: go on in the next one, or fail',
  ),
  orphan: valueFlag(
    '--orphan',
    duration,
    0,
    'the service ends the message when this command is silent for so long, 5s to 1h; 0: as the channel says',
  ),
  sink: textFlag('--sink', 'text', 'where the text goes without subscribers at the end'),
  recipient: defaultFlag('--recipient', 'json', '', 'the recipient, in the form of the sink'),
} as const;

function jsonOf(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MsgError('MSG_INVALID_ARGUMENT', `${flag} must be JSON`, { cause });
  }
}

function metaOf(text: string): object | undefined {
  if (text === '') return undefined;
  const value = jsonOf('--meta', text);
  if (isRecord(value)) return value;
  throw new MsgError('MSG_INVALID_ARGUMENT', '--meta must be a JSON object');
}

function sinkOf(sink: string | undefined, recipient: string): WriterSink | undefined {
  if (sink === undefined) return undefined;
  return { sink, recipient: recipient === '' ? null : jsonOf('--recipient', recipient) };
}

const append: MsgCommand = {
  name: 'append',
  args: [{ name: 'name', help: 'a channel with append streams' }],
  summary: 'let one message grow by standard input, as it comes',
  detail:
    'Subscribers see the message grow. The end of the input completes it, Ctrl-C cancels it; cancelled from elsewhere, the ' +
    'command stops reading. A slow service slows the reader of the input. Bytes that are not UTF-8 become U+FFFD, and the ' +
    'command exits with 1 and says how many.',
  method: 'Append',
  settings: { ...SETTINGS, ...CLIENT_SETTINGS },
  examples: [
    { line: 'append public:shop.log < build.log', help: 'a text' },
    { line: 'append public:shop.log --items < events.ndjson', help: 'a JSON value per line' },
  ],
  async run(invocation) {
    const io = withOutput(invocation);
    const [name = ''] = invocation.args;
    const { message, run, input, meta, items, onFull, orphan, sink, recipient } = resolveAll(
      SETTINGS,
      invocation.sources,
    );
    const options: AppendStreamOptions = defined({
      message: message === '' ? undefined : message,
      run: run === '' ? undefined : run,
      input: input === '' ? undefined : input,
      meta: metaOf(meta),
      format: items ? ('items' as const) : undefined,
      orphanTimeout: orphan === 0 ? undefined : orphan,
      onFull,
    });
    const complete = defined({ orSink: sinkOf(sink, recipient) });
    const over = new AbortController();
    const { call } = await callsOf(invocation, false, over.signal);
    const interrupted = io.interrupted();
    const text = new TextInput();
    try {
      const stream = await appendStream({ call }, name, options);
      const pieces = io.stdinPieces(over.signal);
      const source = items ? itemsOf(pieces) : text.read(pieces);
      const result = await stream
        .pipe(source, { signal: interrupted, complete })
        .catch(stoppedElsewhere(stream));
      printResult(io, { kind: 'msg.append', payload: result ?? (await stateOf(stream)) });
    } finally {
      over.abort();
    }
    if (text.replaced > 0) {
      const problem = `${text.replaced} characters of the input were not UTF-8 and became U+FFFD`;
      throw new MsgError('MSG_INVALID_ARGUMENT', problem);
    }

    async function stateOf({ message: id }: AppendWriter): Promise<object> {
      const state = await call('AppendState', { name, message: id });
      const { status, reason, seq, size, offset, epoch } = METHODS.AppendState.response.write(
        state,
      ) as Record<string, unknown>;
      return { message: id, status, reason, seq, size, offset, epoch };
    }
  },
};

/** The service has ended a message that was cancelled: its state is the result. Any other error is one. */
function stoppedElsewhere({ signal }: AppendWriter): (error: unknown) => AppendStreamResult | undefined {
  return error => {
    const reason: unknown = signal.reason;
    if (isMsgError(reason) && (reason.reason === 'cancelled' || reason.meta['status'] === 'cancelled'))
      return undefined;
    throw error;
  };
}

/** `append <name>`. */
export const appendCommands: readonly MsgCommand[] = [append];
