import { switchFlag, textFlag } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { type MsgCommand, rpcCommand } from './command.ts';
import { type CliIo, unreadableFile } from './io.ts';

/** Where the bytes of a publication come from. */
export const PUBLICATION_SETTINGS = {
  data: textFlag('--data', 'text', 'the publication as text', { short: '-d' }),
  file: textFlag('--file', 'text', 'a file whose bytes are the publication', { short: '-f' }),
} as const;

/** The bytes of `--data`, `--file` or standard input. @throws MsgError MSG_INVALID_ARGUMENT */
export async function readSource(
  io: CliIo,
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
    allowEmpty: switchFlag('--allow-empty', 'publish nothing when standard input is empty'),
  },
  examples: [
    { line: `publish public:shop.news --data '{"text":"hello"}'`, help: 'a text' },
    { line: 'publish public:shop.news --file picture.png', help: 'a file' },
    { line: 'publish public:shop.news < message.json', help: 'standard input' },
  ],
  async action(call, { args: [name = ''], settings: { data, file, allowEmpty }, io }) {
    const bytes = await readSource(io, data, file);
    const isStdin = data === undefined && file === undefined;
    if (bytes.length === 0 && isStdin && !allowEmpty) {
      const text = 'standard input is empty; give --data or --file, or --allow-empty to publish nothing';
      throw new MsgError('MSG_INVALID_ARGUMENT', text);
    }
    const { offset, epoch } = await call({ name, data: bytes });
    return { kind: 'msg.publish.ack', payload: { offset, epoch } };
  },
});

/** `publish <name>`. */
export const publishCommands: readonly MsgCommand[] = [publish];
