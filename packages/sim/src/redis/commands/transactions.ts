import { type Answer, OK, SentAnswer } from '../answer.ts';
import type { CommandContext, CommandRow } from '../command.ts';
import { fail } from '../command-error.ts';
import type { CommandFlag } from '../command-traits.ts';
import type { Bytes } from '../reply.ts';
import { encoded } from '../resp.ts';

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
  client.isInTransaction = true;
  client.send(`*${queued.length}\r\n`);
  for (const args of queued) {
    const isLast = client.endsAfterReply;
    const answer = commands.execute(commands.find(args), args, client);
    if (!isLast) client.send(encoded(answer, client.protocol));
  }
  client.isInTransaction = false;
  return new SentAnswer();
}

function discard(_: readonly Bytes[], { client }: CommandContext): Answer {
  if (client.queued === undefined) fail('ERR DISCARD without MULTI');
  client.queued = undefined;
  return OK;
}
