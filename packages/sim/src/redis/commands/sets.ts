import { type Answer, SetAnswer } from '../answer.ts';
import type { CommandContext, CommandRow } from '../command.ts';
import { ONE_KEY, WRITE, WRITE_MORE } from '../command-traits.ts';
import type { Bytes } from '../reply.ts';

export const SET_COMMANDS: readonly CommandRow[] = [
  { name: 'sadd', arity: -3, flags: WRITE_MORE, keys: ONE_KEY, run: add },
  { name: 'srem', arity: -3, flags: WRITE, keys: ONE_KEY, run: remove },
  {
    name: 'smembers',
    arity: 2,
    keys: ONE_KEY,
    run: ([, key = ''], { keys }) => new SetAnswer([...(keys.read(key, 'set') ?? [])]),
  },
];

function add([, key = '', ...members]: readonly Bytes[], { keys }: CommandContext): Answer {
  const set = keys.ensure(key, 'set', () => new Set());
  const before = set.size;
  for (const member of members) set.add(member);
  return set.size - before;
}

function remove([, key = '', ...members]: readonly Bytes[], { keys }: CommandContext): Answer {
  const set = keys.read(key, 'set');
  if (set === undefined) return 0;
  const removed = members.filter(member => set.delete(member)).length;
  keys.deleteIfEmpty(key);
  return removed;
}
