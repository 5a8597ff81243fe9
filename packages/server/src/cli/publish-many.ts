import { switchFlag, textFlag } from '@msg/command-line';
import {
  isMsgCode,
  METHODS,
  type MsgCode,
  MsgError,
  type RpcRequest,
  type RpcResponse,
  type UnknownMember,
} from '@msg/core';
import { MAX_PUBLICATIONS, readRequest, toMsgError } from '@msg/core/internal';
import { keepSource } from '@msg/foundation/json';
import { type CliResult, type MsgCommand, rpcCommand } from './command.ts';
import { PUBLICATION_FLAGS, PUBLICATION_SETTINGS, publicationOf, readSource } from './publish.ts';

/** Bytes of one request's body, below the service's limit. */
const MAX_BYTES = 4_000_000;

type Item = RpcRequest<'PublishMany'>['items'][number];

/** A publication and its line number, from 1. */
interface Line {
  readonly number: number;
  readonly item: Item;
}

/** The outcome of the lines so far. */
interface Progress {
  /** Lines of the input. */
  readonly lines: number;
  /** Lines up to this one were sent. */
  sent_up_to: number;
  published: number;
  suppressed: number;
  readonly failed: { line: number; name: string; code: string; message: string }[];
}

const UTF8 = new TextEncoder();

/** @throws MsgError MSG_INVALID_ARGUMENT for a line that is not a publication. */
function readLine(text: string, number: number): Line {
  const unknown: UnknownMember[] = [];
  try {
    const value: unknown = JSON.parse(text);
    keepSource(text, value, ['json']);
    const { json, ...item } = readRequest(METHODS.Publish.request, value, unknown);
    const [first] = unknown;
    if (first !== undefined)
      throw new Error(`${first.path} does not exist; known: ${first.known.join(', ')}`);
    // The bytes of the text, because the request is written again.
    const data = json === undefined ? item.data : UTF8.encode(json.text);
    return { number, item: { ...item, data, json: undefined } };
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'it cannot be read';
    throw new MsgError('MSG_INVALID_ARGUMENT', `line ${number} must be a publication in JSON: ${problem}`, {
      cause,
    });
  }
}

/** @throws MsgError MSG_INVALID_ARGUMENT */
function readLines(input: Uint8Array): Line[] {
  const texts = new TextDecoder().decode(input).split('\n');
  const lines = texts.flatMap((text, index) => (text.trim() === '' ? [] : [readLine(text, index + 1)]));
  if (lines.length === 0)
    throw new MsgError('MSG_INVALID_ARGUMENT', 'the input must hold a publication a line');
  return lines;
}

/** Divides the lines into requests within the service's limits. An oversized line is a request by itself. */
function* requestsOf(lines: readonly Line[]): Iterable<readonly Line[]> {
  let request: Line[] = [];
  let bytes = 0;
  for (const line of lines) {
    const size = JSON.stringify(METHODS.Publish.request.write(line.item)).length * 2;
    if (request.length === MAX_PUBLICATIONS || (request.length > 0 && bytes + size > MAX_BYTES)) {
      yield request;
      request = [];
      bytes = 0;
    }
    request.push(line);
    bytes += size;
  }
  yield request;
}

function note(
  progress: Progress,
  request: readonly Line[],
  results: RpcResponse<'PublishMany'>['results'],
): void {
  for (const [index, { number, item }] of request.entries()) {
    const { suppressed = false, error = null } = results[index] ?? {};
    if (error !== null) progress.failed.push({ line: number, name: item.name, ...error });
    else if (suppressed) progress.suppressed++;
    else progress.published++;
    progress.sent_up_to = number;
  }
}

function summary(progress: Progress, failure: MsgError | undefined): CliResult {
  const result = { kind: 'msg.publish.many', payload: progress } as const;
  return failure === undefined ? result : { ...result, failure };
}

function codeOf({ code }: { readonly code: string }): MsgCode {
  return isMsgCode(code) ? code : 'MSG_INTERNAL';
}

/** The error of failed items in a successful request. */
function failureOf({ failed, lines }: Progress): MsgError | undefined {
  const [first] = failed;
  if (first === undefined) return undefined;
  const { line, message } = first;
  return new MsgError(
    codeOf(first),
    `${failed.length} of ${lines} publications failed; the first in line ${line}: ${message}`,
  );
}

const publishMany = rpcCommand({
  name: 'publish-many',
  summary: 'publish a publication per line of --file or standard input, 1,000 in a request',
  detail:
    'Each line is JSON with the members of Publish: name, json or data, tags, idempotency_key, skip_history, volatile, ' +
    'delta, version, version_epoch. All lines are read before the first is sent. A publication that fails stops no other; ' +
    'a request that fails as a whole ends the command, which prints how far it came. Either way the exit code is 1.',
  method: 'PublishMany',
  settings: {
    file: textFlag('--file', 'text', 'a file with a publication per line', { short: '-f' }),
    parallel: switchFlag(
      '--parallel',
      'channels do not wait for each other; the order within a channel is kept',
    ),
    stopChannelOnError: switchFlag(
      '--stop-channel-on-error',
      'after a failure, later publications of the same channel and request are not tried',
    ),
  },
  examples: [
    {
      line: 'publish-many --file items.ndjson',
      help: '{"name":"public:shop.news","json":{"text":"hello"}} in each line',
    },
    { line: 'publish-many < items.ndjson', help: 'standard input' },
  ],
  async action(call, { settings: { file, parallel, stopChannelOnError }, io }) {
    const lines = readLines(await readSource(io, undefined, file));
    const progress: Progress = {
      lines: lines.length,
      sent_up_to: 0,
      published: 0,
      suppressed: 0,
      failed: [],
    };
    for (const request of requestsOf(lines)) {
      const items = request.map(({ item }) => item);
      try {
        const { results } = await call({ items, parallel, stop_channel_on_error: stopChannelOnError });
        note(progress, request, results);
      } catch (error) {
        if (progress.sent_up_to === 0) throw error;
        return summary(progress, toMsgError(error));
      }
    }
    return summary(progress, failureOf(progress));
  },
});

const broadcast = rpcCommand({
  name: 'broadcast',
  args: [{ name: 'name', help: 'an open channel', repeatable: true }],
  summary: 'publish the same into several channels: --data, --file, or standard input',
  detail: 'A channel that fails stops no other; the exit code is 1 then.',
  method: 'Broadcast',
  settings: { ...PUBLICATION_SETTINGS, ...PUBLICATION_FLAGS },
  examples: [
    { line: `broadcast public:shop.news public:shop.status --data '{"text":"hello"}'`, help: 'two channels' },
  ],
  async action(call, { args: names, settings, io }) {
    const bytes = await readSource(io, settings.data, settings.file);
    const { results } = await call({ names, ...publicationOf(bytes, settings) });
    const failed = results.filter(({ error }) => error !== null);
    const result = { kind: 'msg.publish.broadcast', payload: { results } } as const;
    const [first] = failed;
    if (first === undefined || first.error === null) return result;
    const text = `${failed.length} of ${results.length} channels failed; the first, ${first.name}: ${first.error.message}`;
    return { ...result, failure: new MsgError(codeOf(first.error), text) };
  },
});

/** `publish-many`, `broadcast <name>…`. */
export const publishManyCommands: readonly MsgCommand[] = [publishMany, broadcast];
