import { MsgError } from '@msg/core';
import type { Command } from 'commander';
import { clientCommand } from './client.ts';
import type { CliIo } from './io.ts';

async function readSource(
  io: CliIo,
  data: string | undefined,
  file: string | undefined,
): Promise<Uint8Array> {
  if (data !== undefined && file !== undefined) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'give either --data or --file, not both');
  }
  if (data !== undefined) return new TextEncoder().encode(data);
  if (file === undefined) return io.readStdin();
  try {
    return await io.readFile(file);
  } catch (cause) {
    throw new MsgError('MSG_INVALID_ARGUMENT', `${file} cannot be read`, { cause });
  }
}

/** `publish <name>`: the bytes of `--data`, `--file` or standard input, exactly as given. */
export function addPublishCommand(program: Command, io: CliIo): void {
  const publish = program
    .command('publish <name>')
    .description('publish into a channel: --data, --file, or standard input')
    .option('-d, --data <text>', 'the publication as text')
    .option('-f, --file <path>', 'a file whose bytes are the publication');
  clientCommand(publish, io, async (client, [name = '']) => {
    const { data, file } = publish.opts<{ data?: string; file?: string }>();
    const bytes = await readSource(io, data, file);
    const { offset, epoch } = await client.call('Publish', { name, data: bytes });
    return { kind: 'msg.publish.ack', payload: { offset, epoch } };
  });
}
