import { ERRORS, fail } from '../command-error.ts';
import { readInteger } from '../numbers.ts';
import type { Bytes } from '../reply.ts';

/** A signed 64-bit integer. @throws CommandError */
export function integer(text: Bytes, error: Bytes = ERRORS.notInteger): bigint {
  return readInteger(text) ?? fail(error);
}

/** A signed 64-bit integer as a number: exact as far as lengths and places of lists go. @throws CommandError */
export function count(text: Bytes, error?: Bytes): number {
  return Number(integer(text, error));
}

/** A word of a command, whatever its case. */
export function isWord(text: Bytes | undefined, word: Bytes): boolean {
  return text !== undefined && text.length === word.length && text.toUpperCase() === word;
}

/** Items of a list between two places, both inclusive; negative ones count from the end. */
export function slice<T>(items: readonly T[], first: number, last: number): readonly T[] {
  const from = first < 0 ? Math.max(0, items.length + first) : first;
  const to = last < 0 ? items.length + last : last;
  return from > to ? [] : items.slice(from, to + 1);
}
