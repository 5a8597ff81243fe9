import { type Answer, OK } from '../answer.ts';
import type { CommandContext, CommandRow } from '../command.ts';
import { fail } from '../command-error.ts';
import type { CommandFlag } from '../command-traits.ts';
import type { Bytes } from '../reply.ts';

const FLAGS: readonly CommandFlag[] = ['noScript', 'always', 'atOnce'];

export const TRANSACTION_COMMANDS: readonly CommandRow[] = [
  { name: 'multi', arity: 1, flags: FLAGS, run: begin },
  { name: 'exec', arity: 1, flags: FLAGS, run: exec },
  { name: 'discard', arity: 1, flags: FLAGS, run: discard },
];

function begin(_: readonly Bytes[], { client }: CommandContext): Answer {
  if (client.queued !== undefined) fail('ERR MULTI calls can not be nested');
  client.queued = [];
  client.isSpoiled = false;
  return OK;
}

function exec(_: readonly Bytes[], { client, commands }: CommandContext): Answer {
  const { queued, isSpoiled } = client;
  if (queued === undefined) return fail('ERR EXEC without MULTI');
  client.queued = undefined;
  if (isSpoiled) fail('EXECABORT Transaction discarded because of previous errors.');
  return queued.map(args => commands.execute(commands.find(args), args, client));
}

function discard(_: readonly Bytes[], { client }: CommandContext): Answer {
  if (client.queued === undefined) fail('ERR DISCARD without MULTI');
  client.queued = undefined;
  return OK;
}
