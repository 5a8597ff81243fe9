import { list, type Resolved, switchFlag, textFlag, valueFlag } from '@msg/command-line';
import { MsgError, type RpcRequest } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { type MsgCommand, rpcCommand } from './command.ts';
import { type CliEnvironment, unreadableFile } from './io.ts';
import { tagsOf } from './tags.ts';

/** The source of a publication's bytes. */
export const PUBLICATION_SETTINGS = {
  data: textFlag('--data', 'text', 'the publication as text', { short: '-d' }),
  file: textFlag('--file', 'text', 'a file whose bytes are the publication', { short: '-f' }),
} as const;

/** The options of a publication. */
export const PUBLICATION_FLAGS = {
  json: switchFlag('--json', 'the publication must be JSON; it is published as it is written'),
  skipHistory: switchFlag('--skip-history', 'for live subscribers alone: it is not kept and never recovered'),
  volatile: switchFlag('--volatile', 'as --skip-history, and subscribers with much waiting do not get it'),
} as const;

/** The request members for {@link PUBLICATION_FLAGS}. @throws MsgError MSG_INVALID_ARGUMENT */
export function publicationOf(
  data: Uint8Array,
  { json, skipHistory, volatile }: Resolved<typeof PUBLICATION_FLAGS>,
): Pick<RpcRequest<'Publish'>, 'data' | 'skip_history' | 'volatile'> {
  if (json) requireJson(data);
  return { data, skip_history: skipHistory, volatile };
}

function requireJson(data: Uint8Array): void {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'it cannot be read';
    throw new MsgError('MSG_INVALID_ARGUMENT', `with --json the publication must be JSON: ${problem}`, {
      cause,
    });
  }
}

/** The bytes of `--data`, `--file` or standard input. @throws MsgError MSG_INVALID_ARGUMENT */
export async function readSource(
  io: CliEnvironment,
  data: string | undefined,
  file: string | undefined,
): Promise<Uint8Array> {
  if (data !== undefined && file !== undefined) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'give either --data or --file, not both', {
      situation: { name: 'twoSources' },
    });
  }
  if (data !== undefined) return new TextEncoder().encode(data);
  if (file === undefined) return io.readStdin();
  try {
    return await io.readFile(file);
  } catch (cause) {
    throw unreadableFile(file, cause);
  }
}

const publish = rpcCommand({
  name: 'publish',
  args: [{ name: 'name', help: 'an open channel' }],
  summary: 'publish into a channel: --data, --file, or standard input',
  detail:
    'The bytes are sent exactly as given; a last newline of standard input is kept. Nothing on standard input is refused ' +
    'unless --allow-empty says that an empty publication is meant.',
  method: 'Publish',
  settings: {
    ...PUBLICATION_SETTINGS,
    ...PUBLICATION_FLAGS,
    tag: valueFlag('--tag', list, [], 'a tag of the publication, as name=value; repeatable'),
    idempotencyKey: textFlag('--idempotency-key', 'text', 'a key that was used before publishes nothing'),
    allowEmpty: switchFlag('--allow-empty', 'publish nothing when standard input is empty'),
  },
  examples: [
    { line: `publish public:shop.news --data '{"text":"hello"}'`, help: 'a text' },
    { line: 'publish public:shop.news --file picture.png', help: 'a file' },
    { line: 'publish public:shop.news < message.json', help: 'standard input' },
    {
      line: `publish public:shop.news --tag topic=world --idempotency-key news-7 --data 'hello'`,
      help: 'for subscribers that filter by a tag, once',
    },
    {
      line: `publish public:shop.news --json --volatile --data '{"x":12.50}'`,
      help: 'a cursor: it matters only now',
    },
  ],
  async action(call, { args: [name = ''], settings, io }) {
    const { data, file, allowEmpty } = settings;
    const bytes = await readSource(io, data, file);
    const isStdin = data === undefined && file === undefined;
    if (bytes.length === 0 && isStdin && !allowEmpty) {
      const text = 'standard input is empty; give --data or --file, or --allow-empty to publish nothing';
      throw new MsgError('MSG_INVALID_ARGUMENT', text);
    }
    const { tag, idempotencyKey } = settings;
    const extras = { tags: tag.length === 0 ? undefined : tagsOf(tag), idempotency_key: idempotencyKey };
    const { offset, epoch, suppressed } = await call({
      name,
      ...publicationOf(bytes, settings),
      ...defined(extras),
    });
    return { kind: 'msg.publish.ack', payload: { offset, epoch, suppressed } };
  },
});

/** `publish <name>`. */
export const publishCommands: readonly MsgCommand[] = [publish];
