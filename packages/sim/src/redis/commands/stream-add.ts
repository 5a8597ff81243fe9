import type { Answer } from '../answer.ts';
import type { CommandContext } from '../command.ts';
import { fail } from '../command-error.ts';
import type { Bytes } from '../reply.ts';
import { ID_MAX, idOf, idText, SEQUENCE_BITS, SEQUENCE_MAX, StreamValue } from '../stream-value.ts';
import { count, isWord } from './arguments.ts';
import { INVALID_ID, readHalf, strictId } from './stream-ids.ts';

interface Trim {
  readonly approximate: boolean;
  /** Entries that stay, or the least id that stays. */
  readonly length?: number;
  readonly least?: bigint;
}

/** An id, a millisecond whose sequence is to be found, or undefined for a new one. */
type AskedId = bigint | { readonly milliseconds: bigint } | undefined;

interface AddOptions {
  readonly make: boolean;
  readonly trim: Trim | undefined;
  readonly asked: AskedId;
  /** Fields and values in turns. */
  readonly fields: readonly Bytes[];
}

/** XADD. */
export function addEntry(args: readonly Bytes[], { keys, state }: CommandContext): Answer {
  const [, key = ''] = args;
  const { make, trim, asked, fields } = addOptions(args.slice(2));
  if (fields.length < 2 || fields.length % 2 === 1) fail("ERR wrong number of arguments for 'xadd' command");
  if (asked === 0n) fail('ERR The ID specified in XADD must be greater than 0-0');
  const present = keys.read(key, 'stream');
  if (present === undefined && !make) return null;
  const stream = keys.ensure(key, 'stream', () => new StreamValue());
  if (stream.lastId === ID_MAX)
    fail('ERR The stream has exhausted the last possible ID, unable to add more items');
  const id = nextId(stream, asked, state.nowMs());
  if (id <= stream.lastId)
    fail('ERR The ID specified in XADD is equal or smaller than the target stream top item');
  stream.add({ id, fields });
  if (trim !== undefined) cut(stream, trim, state.keepsAtMost);
  return idText(id);
}

/** @throws CommandError */
function addOptions(words: readonly Bytes[]): AddOptions {
  let make = true;
  let trim: Trim | undefined;
  let hasLimit = false;
  let at = 0;
  for (; at < words.length; at++) {
    const more = words.length - 1 - at;
    const isLength = isWord(words[at], 'MAXLEN');
    if (words[at] === '*') break;
    if (isWord(words[at], 'NOMKSTREAM')) make = false;
    else if (isWord(words[at], 'LIMIT') && more > 0) {
      if (count(words[++at] ?? '') < 0) fail('ERR The LIMIT argument must be >= 0.');
      hasLimit = true;
    } else if ((isLength || isWord(words[at], 'MINID')) && more > 0) {
      if (trim !== undefined)
        fail('ERR syntax error, MAXLEN and MINID options at the same time are not compatible');
      const sign = words[at + 1] ?? '';
      const isSigned = more >= 2 && (sign === '~' || sign === '=');
      at += isSigned ? 2 : 1;
      trim = trimOf(isLength, isSigned && sign === '~', words[at] ?? '');
    } else break;
  }
  const asked = at < words.length ? askedId(words[at] ?? '') : 0n;
  if (hasLimit && trim?.approximate !== true)
    fail('ERR syntax error, LIMIT cannot be used without the special ~ option');
  return { make, trim, asked, fields: words.slice(at + 1) };
}

function trimOf(isLength: boolean, approximate: boolean, text: Bytes): Trim {
  if (!isLength) return { approximate, least: strictId(text, 0n) };
  const length = count(text);
  if (length < 0) fail('ERR The MAXLEN argument must be >= 0.');
  return { approximate, length };
}

function askedId(word: Bytes): AskedId {
  if (word === '*') return undefined;
  if (word.endsWith('-*')) {
    const milliseconds = readHalf(word.slice(0, -2));
    return milliseconds === undefined ? fail(INVALID_ID) : { milliseconds };
  }
  return strictId(word, 0n);
}

function nextId({ lastId }: StreamValue, asked: AskedId, nowMs: number): bigint {
  if (typeof asked === 'bigint') return asked;
  const last = lastId >> SEQUENCE_BITS;
  const milliseconds = asked?.milliseconds ?? BigInt(nowMs);
  if (asked === undefined) return milliseconds > last ? idOf(milliseconds, 0n) : lastId + 1n;
  if (milliseconds !== last) return idOf(milliseconds, milliseconds === 0n ? 1n : 0n);
  if ((lastId & SEQUENCE_MAX) === SEQUENCE_MAX) return lastId;
  return lastId + 1n;
}

function cut(
  stream: StreamValue,
  { approximate, length, least }: Trim,
  keepsAtMost: (length: number) => number,
): void {
  if (least !== undefined) {
    if (!approximate) stream.entries.splice(0, stream.placeOf(least));
    return;
  }
  const most = length ?? 0;
  const limit = approximate && most > 0 ? keepsAtMost(most) : most; // of nothing to keep no node is left
  if (stream.entries.length > limit) stream.entries.splice(0, stream.entries.length - limit);
}
