import { type Answer, NullArray } from '../answer.ts';
import type { CommandContext, CommandRow } from '../command.ts';
import { ERRORS, fail } from '../command-error.ts';
import { ONE_KEY, WRITE, WRITE_MORE } from '../command-traits.ts';
import type { Bytes } from '../reply.ts';
import { count } from './arguments.ts';

export const LIST_COMMANDS: readonly CommandRow[] = [
  { name: 'rpush', arity: -3, flags: WRITE_MORE, keys: ONE_KEY, run: push },
  { name: 'lpop', arity: -2, flags: WRITE, keys: ONE_KEY, run: pop },
  {
    name: 'llen',
    arity: 2,
    keys: ONE_KEY,
    run: ([, key = ''], { keys }) => keys.read(key, 'list')?.length ?? 0,
  },
];

function push([, key = '', ...items]: readonly Bytes[], { keys }: CommandContext): Answer {
  const list = keys.ensure(key, 'list', () => []);
  for (const item of items) list.push(item);
  return list.length;
}

function pop(args: readonly Bytes[], { keys }: CommandContext): Answer {
  const [, key = '', amount] = args;
  if (args.length > 3) fail("ERR wrong number of arguments for 'lpop' command");
  const most = amount === undefined ? undefined : count(amount, ERRORS.notPositive);
  if (most !== undefined && most < 0) fail(ERRORS.notPositive);
  const list = keys.read(key, 'list');
  if (list === undefined) return most === undefined ? null : new NullArray();
  const popped = list.splice(0, most ?? 1);
  keys.deleteIfEmpty(key);
  return most === undefined ? (popped[0] ?? null) : popped;
}
