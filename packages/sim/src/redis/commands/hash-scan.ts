import type { Answer } from '../answer.ts';
import type { CommandContext } from '../command.ts';
import { ERRORS, fail } from '../command-error.ts';
import { matchesGlob } from '../glob.ts';
import { asC, readUnsigned } from '../numbers.ts';
import type { Bytes } from '../reply.ts';
import { count, isWord } from './arguments.ts';

/** A hash of at most so many fields of at most so many bytes is one batch, in the order of insertion. */
const SMALL_FIELDS = 512;
const SMALL_BYTES = 64;
const DEFAULT_COUNT = 10;

/**
 * A batch of a hash. The cursor of a large one is the place after the batch in the order of the fields' digests, which the
 * server draws: what is there throughout is returned, whatever comes and goes meanwhile.
 */
export function scanHash(args: readonly Bytes[], { keys, state }: CommandContext): Answer {
  const [, key = '', cursorText = '', ...words] = args;
  const cursor = readCursor(cursorText);
  const hash = keys.read(key, 'hash');
  if (hash === undefined) return ['0', []];
  const { size, pattern } = scanOptions(words);
  const matching = (pairs: readonly (readonly [Bytes, Bytes])[]): Bytes[] =>
    pairs.filter(([field]) => pattern === undefined || matchesGlob(pattern, field)).flat();
  if (isSmall(hash)) return ['0', matching([...hash])];
  const places = [...hash]
    .map(pair => ({ pair, place: state.placeOf(pair[0]) }))
    .filter(({ place }) => place >= cursor)
    .toSorted((left, right) => left.place - right.place);
  // Fields of the same place are never parted.
  let end = Math.min(places.length, size);
  while (end < places.length && places[end]?.place === places[end - 1]?.place) end++;
  const next = places[end]?.place ?? 0;
  return [String(next), matching(places.slice(0, end).map(({ pair }) => pair))];
}

function isSmall(hash: ReadonlyMap<Bytes, Bytes>): boolean {
  if (hash.size > SMALL_FIELDS) return false;
  for (const [field, content] of hash)
    if (field.length > SMALL_BYTES || content.length > SMALL_BYTES) return false;
  return true;
}

function readCursor(text: Bytes): number {
  if (asC(text) === '') return 0;
  const cursor = /^\s/.test(text) ? undefined : readUnsigned(text);
  return cursor === undefined ? fail('ERR invalid cursor') : Number(cursor);
}

function scanOptions(words: readonly Bytes[]): { size: number; pattern: Bytes | undefined } {
  let size = DEFAULT_COUNT;
  let pattern: Bytes | undefined;
  for (let at = 0; at < words.length; at += 2) {
    const value = words[at + 1];
    if (value === undefined) return fail(ERRORS.syntax);
    if (isWord(words[at], 'COUNT')) {
      size = count(value);
      if (size < 1) fail(ERRORS.syntax);
    } else if (isWord(words[at], 'MATCH')) pattern = value;
    else fail(ERRORS.syntax);
  }
  return { size, pattern };
}
