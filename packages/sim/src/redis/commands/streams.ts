import { type Answer, MapAnswer, NullArray } from '../answer.ts';
import type { CommandContext, CommandRow, ContainerRow } from '../command.ts';
import { ERRORS, fail } from '../command-error.ts';
import { ONE_KEY, WRITE, WRITE_MORE } from '../command-traits.ts';
import type { Bytes } from '../reply.ts';
import { idText, type StreamEntry } from '../stream-value.ts';
import { count, isWord } from './arguments.ts';
import { addEntry } from './stream-add.ts';
import { rangeEnd, strictId } from './stream-ids.ts';

export const STREAM_COMMANDS: readonly (CommandRow | ContainerRow)[] = [
  { name: 'xadd', arity: -5, flags: WRITE_MORE, keys: ONE_KEY, run: addEntry },
  { name: 'xrange', arity: -4, keys: ONE_KEY, run: range },
  { name: 'xrevrange', arity: -4, keys: ONE_KEY, run: range },
  { name: 'xdel', arity: -3, flags: WRITE, keys: ONE_KEY, run: deleteEntries },
  {
    name: 'xlen',
    arity: 2,
    keys: ONE_KEY,
    run: ([, key = ''], { keys }) => keys.read(key, 'stream')?.entries.length ?? 0,
  },
  { name: 'xinfo', subcommands: [{ name: 'xinfo|stream', arity: -3, keys: [2, 2, 1], run: describe }] },
];

function range(args: readonly Bytes[], { keys }: CommandContext): Answer {
  const [name = '', key = '', first = '', second = '', ...words] = args;
  const reversed = isWord(name, 'XREVRANGE');
  const start = rangeEnd(reversed ? second : first, 'start');
  const end = rangeEnd(reversed ? first : second, 'end');
  const most = limitOf(words);
  const stream = keys.read(key, 'stream');
  if (stream === undefined) return [];
  if (most === 0) return new NullArray();
  const matching = stream.entries.slice(stream.placeOf(start), stream.placeOf(end + 1n));
  const ordered = reversed ? matching.toReversed() : matching;
  return ordered.slice(0, most).map(shownEntry);
}

/** Undefined: all of them. @throws CommandError */
function limitOf(words: readonly Bytes[]): number | undefined {
  let most: number | undefined;
  for (let at = 0; at < words.length; at += 2) {
    const value = words[at + 1];
    if (value === undefined || !isWord(words[at], 'COUNT')) return fail(ERRORS.syntax);
    most = Math.max(0, count(value));
  }
  return most;
}

function shownEntry({ id, fields }: StreamEntry): Answer {
  return [idText(id), fields];
}

function deleteEntries([, key = '', ...texts]: readonly Bytes[], { keys }: CommandContext): Answer {
  const stream = keys.read(key, 'stream');
  if (stream === undefined) return 0;
  const ids = texts.map(text => strictId(text, 0n));
  return ids.filter(id => stream.delete(id)).length;
}

function describe([, word = '', key = '', ...words]: readonly Bytes[], { keys }: CommandContext): Answer {
  const stream = keys.read(key, 'stream');
  if (stream === undefined) return fail(ERRORS.noKey);
  if (words.length > 0)
    fail(`ERR unknown subcommand or wrong number of arguments for '${word}'. Try XINFO HELP.`);
  const { entries, lastId, maxDeletedId, entriesAdded } = stream;
  const [first] = entries;
  const last = entries.at(-1);
  return new MapAnswer([
    'length',
    entries.length,
    'radix-tree-keys',
    Math.ceil(entries.length / 100),
    'radix-tree-nodes',
    Math.ceil(entries.length / 100) + 1,
    'last-generated-id',
    idText(lastId),
    'max-deleted-entry-id',
    idText(maxDeletedId),
    'entries-added',
    entriesAdded,
    'recorded-first-entry-id',
    idText(first?.id ?? 0n),
    'groups',
    0,
    'first-entry',
    first === undefined ? null : shownEntry(first),
    'last-entry',
    last === undefined ? null : shownEntry(last),
  ]);
}
