import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { nextTurn } from '../../timers/turns.ts';
import type { DeadLetter, DeadLetterQueue, LetterSlice } from './contract.ts';
import { errorGroup } from './group.ts';
import type { JobLetter } from './jobs/contract.ts';

/** Letters that one turn of the event loop looks at. */
const SLICE = 500;
/** A page ends early, so that no answer is longer. */
const MOST_BYTES = 1_500_000;

/** Which letters; empty texts accept every letter. */
export interface LetterFilter {
  readonly sink: string;
  readonly channel: string;
  readonly group: string;
  /** A part of the id, the channel, the recipient, the subject or the error. */
  readonly query: string;
}

/** A page of letters, the newest first. */
export interface LetterPage {
  readonly letters: readonly DeadLetter[];
  /** Matches on all pages. */
  readonly total: number;
  /** Where the next page begins; absent on the last one. */
  readonly next?: string;
}

/** Letters that failed alike. */
export interface LetterGroup {
  readonly group: string;
  /** The error of one of them. */
  readonly sample: string;
  readonly count: number;
  /** Unix milliseconds. */
  readonly oldest: number;
  readonly newest: number;
}

function accepts({ channel, group, query }: LetterFilter, letter: DeadLetter): boolean {
  if (channel !== '' && letter.channel !== channel) return false;
  if (group !== '' && errorGroup(letter.lastError) !== group) return false;
  if (query === '') return true;
  const { id, channel: name, recipient, message, lastError } = letter;
  return [id, name, JSON.stringify(recipient ?? null), message.subject, lastError].some(text =>
    text.includes(query),
  );
}

/** Bytes that an answer holds beside the members of a letter: names, its group, a time and the form of each edit. */
const MEMBERS_BYTES = 400;
const EDIT_BYTES = 40;

/** Bytes of a letter in an answer at most: its message is in it twice, in escapes. */
function weightOf(letter: DeadLetter): number {
  const edits = letter.edits?.length ?? 0;
  return jsonBytes(letter) + jsonBytes(letter.message) + MEMBERS_BYTES + edits * EDIT_BYTES;
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** A page; `undefined` for a position that the queue did not make. Rejects when the store fails. */
export async function letterPage(
  queue: DeadLetterQueue,
  clock: Pick<Clock, 'afterTurn'>,
  filter: LetterFilter,
  { limit, after }: { readonly limit: number; readonly after?: string },
): Promise<LetterPage | undefined> {
  const letters: DeadLetter[] = [];
  let bytes = 0;
  let hasMore = false;
  const collect = (letter: DeadLetter): void => {
    bytes += weightOf(letter);
    if (letters.length === limit || (bytes > MOST_BYTES && letters.length > 0)) hasMore = true;
    if (!hasMore) letters.push(letter);
  };
  const isPlain = filter.channel === '' && filter.group === '' && filter.query === '';
  let total = isPlain ? await letterCount(queue, filter.sink) : 0;
  if (after !== undefined && (await sliceOf(queue, filter.sink, after, 1)) === undefined) return undefined;
  if (!isPlain)
    for await (const letter of everyLetter(queue, clock, filter.sink))
      if (accepts(filter, letter)) total += 1;
  for await (const letter of everyLetter(queue, clock, filter.sink, after)) {
    if (accepts(filter, letter)) collect(letter);
    if (hasMore) break;
  }
  const last = hasMore ? letters.at(-1) : undefined;
  return { letters, total, ...defined({ next: last === undefined ? undefined : positionOf(last) }) };
}

/** Letters that failed alike, the largest group first. Rejects when the store fails. */
export async function letterGroups(
  queue: DeadLetterQueue,
  clock: Pick<Clock, 'afterTurn'>,
  sink: string,
): Promise<readonly LetterGroup[]> {
  const groups = new Map<string, LetterGroup>();
  for await (const { lastError, parkedAt } of everyLetter(queue, clock, sink)) {
    const group = errorGroup(lastError);
    const { sample, count, oldest, newest } = groups.get(group) ?? {
      sample: lastError,
      count: 0,
      oldest: parkedAt,
      newest: parkedAt,
    };
    groups.set(group, {
      group,
      sample,
      count: count + 1,
      oldest: Math.min(oldest, parkedAt),
      newest: Math.max(newest, parkedAt),
    });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || (a.group < b.group ? -1 : 1));
}

/** What a job needs of its letters, the oldest first. Rejects when the store fails. */
export async function jobLetters(
  queue: DeadLetterQueue,
  clock: Pick<Clock, 'afterTurn'>,
  sink: string,
  accepts: (letter: JobLetter) => boolean,
): Promise<readonly JobLetter[]> {
  const letters: JobLetter[] = [];
  for await (const { id, lastError } of everyLetter(queue, clock, sink)) {
    const letter = { id, lastError, group: errorGroup(lastError) };
    if (accepts(letter)) letters.push(letter);
  }
  return letters.reverse();
}

/**
 * Every letter of a sink, or of all for an empty name, behind a position: the newest first, a slice in one turn of the event
 * loop.
 */
async function* everyLetter(
  queue: DeadLetterQueue,
  clock: Pick<Clock, 'afterTurn'>,
  sink: string,
  after?: string,
): AsyncIterable<DeadLetter> {
  let place = after;
  do {
    const slice: LetterSlice | undefined = await sliceOf(queue, sink, place, SLICE);
    yield* slice?.letters ?? [];
    place = slice?.next;
    await nextTurn(clock);
  } while (place !== undefined);
}

/** Number of letters of a sink, or of all for an empty name. Rejects when the store fails. */
export async function letterCount(queue: DeadLetterQueue, sink: string): Promise<number> {
  const sizes = await queue.sizes();
  if (sink !== '') return sizes.get(sink) ?? 0;
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

function positionOf({ id, parkedAt }: DeadLetter): string {
  return `${parkedAt} ${id}`;
}

/** The letters behind a position: from the queue, or, where it has no slices, from all of its letters. */
async function sliceOf(
  queue: DeadLetterQueue,
  sink: string,
  after: string | undefined,
  count: number,
): Promise<LetterSlice | undefined> {
  const [, time, id] = /^(\d{1,16}) (\S+)$/.exec(after ?? '') ?? [];
  if (after !== undefined && (time === undefined || id === undefined)) return undefined;
  const name = sink === '' ? undefined : sink;
  const place = time === undefined || id === undefined ? undefined : { parkedAt: Number(time), id };
  if (queue.slice !== undefined) {
    const letters = await queue.slice(name, place, count);
    return letters === undefined ? undefined : sliceFrom(letters, count);
  }
  const all = await queue.list(name, 0);
  const begin = place === undefined ? 0 : all.findIndex(letter => isBehind(letter, place));
  return sliceFrom(begin < 0 ? [] : all.slice(begin, begin + count), count);
}

function sliceFrom(letters: readonly DeadLetter[], count: number): LetterSlice {
  const last = letters.length < count ? undefined : letters.at(-1);
  return { letters, ...defined({ next: last === undefined ? undefined : positionOf(last) }) };
}

/** In the order of a list: newest first, ties by id descending. */
function isBehind(letter: DeadLetter, place: Pick<DeadLetter, 'parkedAt' | 'id'>): boolean {
  return letter.parkedAt === place.parkedAt ? letter.id < place.id : letter.parkedAt < place.parkedAt;
}
