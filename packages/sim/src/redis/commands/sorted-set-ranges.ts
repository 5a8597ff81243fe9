import { type Answer, ScoredAnswer } from '../answer.ts';
import type { CommandContext } from '../command.ts';
import { ERRORS, fail } from '../command-error.ts';
import type { Bytes } from '../reply.ts';
import type { Scored } from '../sorted-set.ts';
import { count, slice } from './arguments.ts';
import { isBetween, scoreRange } from './score-range.ts';

interface RangeOptions {
  byScore: boolean;
  reversed: boolean;
  withScores: boolean;
  offset: number;
  most: number;
  hasLimit: boolean;
}

/** ZRANGE by places or, with BYSCORE, by scores. */
export function rangeByPlace(args: readonly Bytes[], context: CommandContext): Answer {
  const options = rangeOptions(args.slice(4), ['BYSCORE', 'REV', 'LIMIT', 'WITHSCORES']);
  if (options.byScore) return between(args, options, context);
  if (options.hasLimit)
    fail('ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX');
  return places(args, options, context);
}

export function reversedRange(args: readonly Bytes[], context: CommandContext): Answer {
  return places(args, { ...rangeOptions(args.slice(4), ['WITHSCORES']), reversed: true }, context);
}

export function rangeByScore(args: readonly Bytes[], context: CommandContext): Answer {
  return between(args, rangeOptions(args.slice(4), ['LIMIT', 'WITHSCORES']), context);
}

/** @throws CommandError for a word that the command does not know */
function rangeOptions(words: readonly Bytes[], allowed: readonly string[]): RangeOptions {
  const options = {
    byScore: false,
    reversed: false,
    withScores: false,
    offset: 0,
    most: -1,
    hasLimit: false,
  };
  for (let at = 0; at < words.length; at++) {
    const word = (words[at] ?? '').toUpperCase();
    const [offset, most] = words.slice(at + 1, at + 3);
    if (!allowed.includes(word)) fail(ERRORS.syntax);
    if (word === 'BYSCORE') options.byScore = true;
    else if (word === 'REV') options.reversed = true;
    else if (word === 'WITHSCORES') options.withScores = true;
    else if (offset === undefined || most === undefined) fail(ERRORS.syntax);
    else {
      Object.assign(options, { offset: count(offset), most: count(most) });
      options.hasLimit = options.most !== -1;
      at += 2;
    }
  }
  return options;
}

function places(args: readonly Bytes[], options: RangeOptions, { keys }: CommandContext): Answer {
  const [, key = '', first = '', last = ''] = args;
  const [from, to] = [count(first), count(last)];
  const members = keys.read(key, 'zset')?.members ?? [];
  return shown(slice(options.reversed ? members.toReversed() : members, from, to), options);
}

function between(args: readonly Bytes[], options: RangeOptions, { keys }: CommandContext): Answer {
  const [, key = '', first = '', second = ''] = args;
  const range = options.reversed ? scoreRange(second, first) : scoreRange(first, second);
  const matching = (keys.read(key, 'zset')?.members ?? []).filter(([, score]) => isBetween(score, range));
  const { offset, most } = options;
  if (offset < 0) return shown([], options);
  const ordered = options.reversed ? matching.toReversed() : matching;
  return shown(ordered.slice(offset, most < 0 ? undefined : offset + most), options);
}

function shown(members: readonly Scored[], { withScores }: RangeOptions): Answer {
  return withScores ? new ScoredAnswer(members) : members.map(([member]) => member);
}
