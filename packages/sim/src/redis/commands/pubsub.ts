import { type Answer, PushAnswers } from '../answer.ts';
import type { Client } from '../client.ts';
import type { CommandContext, CommandRow } from '../command.ts';
import { fail } from '../command-error.ts';
import type { CommandFlag } from '../command-traits.ts';
import type { Bytes } from '../reply.ts';

const SUBSCRIBING: readonly CommandFlag[] = ['noScript', 'subscribed', 'always'];

/** The two kinds of channels, with the word of their messages. */
const PLAIN = { table: 'channels', prefix: '' } as const;
const SHARDED = { table: 'shardChannels', prefix: 's' } as const;

type Kind = typeof PLAIN | typeof SHARDED;

export const PUBSUB_COMMANDS: readonly CommandRow[] = [
  { name: 'publish', arity: 3, flags: ['always'], run: publish(PLAIN) },
  { name: 'spublish', arity: 3, flags: ['always'], keys: [1, 1, 1], run: publish(SHARDED) },
  { name: 'subscribe', arity: -2, flags: SUBSCRIBING, run: subscribe(PLAIN) },
  { name: 'ssubscribe', arity: -2, flags: SUBSCRIBING, keys: [1, -1, 1], run: subscribe(SHARDED) },
  { name: 'unsubscribe', arity: -1, flags: SUBSCRIBING, run: unsubscribe(PLAIN) },
  { name: 'sunsubscribe', arity: -1, flags: SUBSCRIBING, keys: [1, -1, 1], run: unsubscribe(SHARDED) },
];

function publish({ table, prefix }: Kind): CommandRow['run'] {
  return (args, { state, client }) => {
    const [, channel = '', message = ''] = args;
    state.published({ atUs: state.options.nowUs(), database: client.database, args });
    const readers = state[table].get(channel) ?? new Set<Client>();
    for (const reader of readers)
      if (!state.dropsMessage()) reader.push([`${prefix}message`, channel, message]);
    return readers.size;
  };
}

function subscribe({ table, prefix }: Kind): CommandRow['run'] {
  return ([, ...names], { state, client }) => {
    if (prefix !== '' && client.isInTransaction)
      fail("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");
    return new PushAnswers(
      names.map(channel => {
        const readers = state[table].get(channel) ?? new Set();
        state[table].set(channel, readers.add(client));
        client[table].add(channel);
        return [`${prefix}subscribe`, channel, client[table].size];
      }),
    );
  };
}

function unsubscribe(kind: Kind): CommandRow['run'] {
  return ([, ...names]: readonly Bytes[], { client, state }: CommandContext): Answer => {
    const { table, prefix } = kind;
    const left = names.length > 0 ? names : [...client[table]];
    if (left.length === 0) return new PushAnswers([[`${prefix}unsubscribe`, null, client[table].size]]);
    return new PushAnswers(
      left.map(channel => {
        state[table].get(channel)?.delete(client);
        client[table].delete(channel);
        return [`${prefix}unsubscribe`, channel, client[table].size];
      }),
    );
  };
}
