import { type Answer, OK } from '../answer.ts';
import type { Client } from '../client.ts';
import type { CommandContext, ContainerRow } from '../command.ts';
import { ERRORS, fail } from '../command-error.ts';
import type { CommandFlag } from '../command-traits.ts';
import { readInteger } from '../numbers.ts';
import type { Bytes } from '../reply.ts';
import type { RedisState } from '../state.ts';
import { isWord } from './arguments.ts';

const FLAGS: readonly CommandFlag[] = ['noScript', 'always'];

export const CLIENT_COMMANDS: readonly ContainerRow[] = [
  {
    name: 'client',
    subcommands: [
      { name: 'client|id', arity: 2, flags: FLAGS, run: (_, { client }) => client.id },
      { name: 'client|getname', arity: 2, flags: FLAGS, run: (_, { client }) => client.name || null },
      {
        name: 'client|setname',
        arity: 3,
        flags: FLAGS,
        run: ([, , name = ''], { client }) => nameClient(client, name),
      },
      { name: 'client|kill', arity: -3, flags: FLAGS, run: kill },
    ],
  },
];

/** @throws CommandError for a name with characters that a list of clients cannot show */
export function nameClient(client: Client, name: Bytes): Answer {
  if (/[^!-~]/.test(name)) fail('ERR Client names cannot contain spaces, newlines or special characters.');
  client.name = name;
  return OK;
}

/** Ends connections by address, or by conditions; of the latter the caller's own is left out. */
function kill([, , ...words]: readonly Bytes[], { client, state }: CommandContext): Answer {
  const [address = ''] = words;
  if (words.length === 1) {
    const target = [...state.clients.values()].find(other => other.address === address);
    if (target === undefined) return fail('ERR No such client');
    end(target, client, state);
    return OK;
  }
  const matches = killConditions(words, client);
  const ended = [...state.clients.values()].filter(matches);
  for (const other of ended) end(other, client, state);
  return ended.length;
}

/** The caller's own connection ends after the answer. */
function end(other: Client, caller: Client, state: RedisState): void {
  if (other === caller) other.endsAfterReply = true;
  else state.kill(other);
}

function killConditions(words: readonly Bytes[], caller: Client): (other: Client) => boolean {
  const conditions: ((other: Client) => boolean)[] = [];
  let sparesCaller = true;
  for (let at = 0; at < words.length; at += 2) {
    const value = words[at + 1];
    if (value === undefined) return fail(ERRORS.syntax);
    if (isWord(words[at], 'ID')) conditions.push(ofId(value));
    else if (isWord(words[at], 'ADDR')) conditions.push(({ address }) => address === value);
    else if (isWord(words[at], 'TYPE')) conditions.push(ofType(value));
    else if (isWord(words[at], 'SKIPME')) sparesCaller = isYes(value);
    else fail(ERRORS.syntax);
  }
  return other => !(sparesCaller && other === caller) && conditions.every(holds => holds(other));
}

function ofId(text: Bytes): (other: Client) => boolean {
  const id = readInteger(text);
  if (id === undefined || id < 1n) return fail('ERR client-id should be greater than 0');
  return other => BigInt(other.id) === id;
}

function ofType(text: Bytes): (other: Client) => boolean {
  const type = text.toLowerCase();
  if (type === 'pubsub') return other => other.hasSubscriptions;
  if (type === 'normal') return other => !other.hasSubscriptions;
  if (['master', 'replica', 'slave'].includes(type)) return () => false;
  return fail(`ERR Unknown client type '${text.split('\0')[0]}'`);
}

function isYes(text: Bytes): boolean {
  if (isWord(text, 'YES')) return true;
  return isWord(text, 'NO') ? false : fail(ERRORS.syntax);
}
