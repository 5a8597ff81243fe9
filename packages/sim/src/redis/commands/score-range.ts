import { fail } from '../command-error.ts';
import { asC, readAnyDouble } from '../numbers.ts';
import type { Bytes } from '../reply.ts';

interface Bound {
  readonly score: number;
  readonly exclusive: boolean;
}

export interface ScoreRange {
  readonly least: Bound;
  readonly most: Bound;
}

/** @throws CommandError when one of them is not a number; `(` before it leaves it out */
export function scoreRange(least: Bytes, most: Bytes): ScoreRange {
  return { least: bound(least), most: bound(most) };
}

function bound(text: Bytes): Bound {
  const exclusive = text.startsWith('(');
  const digits = asC(exclusive ? text.slice(1) : text).trimStart();
  const score = digits === '' ? 0 : readAnyDouble(digits);
  if (score === undefined) return fail('ERR min or max is not a float');
  return { score, exclusive };
}

export function isBetween(score: number, { least, most }: ScoreRange): boolean {
  const above = least.exclusive ? score > least.score : score >= least.score;
  return above && (most.exclusive ? score < most.score : score <= most.score);
}
