import { type Answer, DoubleAnswer } from '../answer.ts';
import type { CommandContext, CommandRow } from '../command.ts';
import { ERRORS, fail } from '../command-error.ts';
import { ONE_KEY, WRITE, WRITE_MORE } from '../command-traits.ts';
import { readDouble } from '../numbers.ts';
import type { Bytes } from '../reply.ts';
import { SortedSet } from '../sorted-set.ts';
import { isBetween, scoreRange } from './score-range.ts';
import { rangeByPlace, rangeByScore, reversedRange } from './sorted-set-ranges.ts';

export const SORTED_SET_COMMANDS: readonly CommandRow[] = [
  { name: 'zadd', arity: -4, flags: WRITE_MORE, keys: ONE_KEY, run: add },
  { name: 'zrem', arity: -3, flags: WRITE, keys: ONE_KEY, run: remove },
  {
    name: 'zscore',
    arity: 3,
    keys: ONE_KEY,
    run: ([, key = '', member = ''], context) => score(key, member, context),
  },
  {
    name: 'zmscore',
    arity: -3,
    keys: ONE_KEY,
    run: ([, key = '', ...members], context) => members.map(member => score(key, member, context)),
  },
  {
    name: 'zcard',
    arity: 2,
    keys: ONE_KEY,
    run: ([, key = ''], { keys }) => keys.read(key, 'zset')?.size ?? 0,
  },
  { name: 'zcount', arity: 4, keys: ONE_KEY, run: countBetween },
  { name: 'zrange', arity: -4, keys: ONE_KEY, run: rangeByPlace },
  { name: 'zrevrange', arity: -4, keys: ONE_KEY, run: reversedRange },
  { name: 'zrangebyscore', arity: -4, keys: ONE_KEY, run: rangeByScore },
  { name: 'zremrangebyscore', arity: 4, flags: WRITE, keys: ONE_KEY, run: removeBetween },
];

interface AddOptions {
  readonly words: ReadonlySet<string>;
  readonly pairs: readonly Bytes[];
}

function add(args: readonly Bytes[], { keys }: CommandContext): Answer {
  const [, key = ''] = args;
  const { words, pairs } = addOptions(args.slice(2));
  const scores = pairs.filter((_, at) => at % 2 === 0).map(text => readDouble(text) ?? fail(ERRORS.notFloat));
  if (keys.read(key, 'zset') === undefined && words.has('XX')) return words.has('INCR') ? null : 0;
  const set = keys.ensure(key, 'zset', () => new SortedSet());
  const before = set.size;
  let changed = 0;
  let last: Answer = null;
  for (const [at, amount] of scores.entries()) {
    const member = pairs[2 * at + 1] ?? '';
    const present = set.scoreOf(member);
    const sum = words.has('INCR') && present !== undefined ? amount + present : amount;
    if (Number.isNaN(sum)) fail('ERR resulting score is not a number (NaN)');
    if (!isTaken(words, present, sum)) continue;
    if (present !== sum) {
      set.set(member, sum);
      changed++;
    }
    last = new DoubleAnswer(sum);
  }
  keys.deleteIfEmpty(key);
  if (words.has('INCR')) return last;
  return words.has('CH') ? changed : set.size - before;
}

/** @throws CommandError when they exclude each other */
function addOptions(rest: readonly Bytes[]): AddOptions {
  const words = new Set<string>();
  let at = 0;
  for (; at < rest.length; at++) {
    const word = (rest[at] ?? '').toUpperCase();
    if (!['NX', 'XX', 'GT', 'LT', 'CH', 'INCR'].includes(word)) break;
    words.add(word);
  }
  const pairs = rest.slice(at);
  if (pairs.length === 0 || pairs.length % 2 === 1) fail(ERRORS.syntax);
  if (words.has('NX') && words.has('XX')) fail('ERR XX and NX options at the same time are not compatible');
  if ([words.has('NX'), words.has('GT'), words.has('LT')].filter(Boolean).length > 1)
    fail('ERR GT, LT, and/or NX options at the same time are not compatible');
  if (words.has('INCR') && pairs.length > 2) fail('ERR INCR option supports a single increment-element pair');
  return { words, pairs };
}

function isTaken(words: ReadonlySet<string>, present: number | undefined, score: number): boolean {
  if (present === undefined) return !words.has('XX');
  if (words.has('NX')) return false;
  return !(words.has('GT') && score <= present) && !(words.has('LT') && score >= present);
}

function remove([, key = '', ...members]: readonly Bytes[], { keys }: CommandContext): Answer {
  const set = keys.read(key, 'zset');
  if (set === undefined) return 0;
  const removed = members.filter(member => set.delete(member)).length;
  keys.deleteIfEmpty(key);
  return removed;
}

function score(key: Bytes, member: Bytes, { keys }: CommandContext): Answer {
  const value = keys.read(key, 'zset')?.scoreOf(member);
  return value === undefined ? null : new DoubleAnswer(value);
}

function countBetween(
  [, key = '', least = '', most = '']: readonly Bytes[],
  { keys }: CommandContext,
): Answer {
  const range = scoreRange(least, most);
  return keys.read(key, 'zset')?.members.filter(([, value]) => isBetween(value, range)).length ?? 0;
}

function removeBetween(args: readonly Bytes[], { keys }: CommandContext): Answer {
  const [, key = '', least = '', most = ''] = args;
  const range = scoreRange(least, most);
  const set = keys.read(key, 'zset');
  const gone = set?.members.filter(([, value]) => isBetween(value, range)) ?? [];
  for (const [member] of gone) set?.delete(member);
  keys.deleteIfEmpty(key);
  return gone.length;
}
