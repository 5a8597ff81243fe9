import { type DlqItem, MsgError } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import type { AccessControl } from '../auth/access/access-control.ts';
import { maskedRecipient, maskedText } from '../auth/access/masked.ts';
import { jsonBytes } from '../connections/json-bytes.ts';
import type { DeadLetter } from '../notify/dead-letters/contract.ts';
import type { DeadLetters } from '../notify/dead-letters/dead-letters.ts';
import { errorGroup } from '../notify/dead-letters/group.ts';
import type { LetterFilter, LetterPage } from '../notify/dead-letters/pages.ts';
import type { RpcHandlers } from './call.ts';
import { foreignCursor, readCursor, readLimit, writeCursor } from './cursor.ts';
import { ANSWER_BYTES, cutTo, halfOfText, halfOfTexts, withinAnswer } from './page-bytes.ts';

type DlqMethods = 'DlqList' | 'DlqGet' | 'DlqGroups' | 'DlqCount' | 'DlqReplay';

const LISTING = 'dead letters';
const DEFAULT_LIMIT = 100;
/** As many as a sink keeps. */
const MAX_LIMIT = 10_000;
/** JSON bytes of an empty text, or of no recipient: there is nothing to cut. */
const LEAST_BYTES = 4;
const MAX_IDS = 500;

/** A letter as its sink lets it be shown, in so many bytes of JSON at most. */
export function dlqItem(
  deadLetters: Pick<DeadLetters, 'redacted'>,
  whole: DeadLetter,
  mostBytes = ANSWER_BYTES,
): DlqItem {
  const letter = deadLetters.redacted(whole);
  const { subject, body } = letter.message;
  const metadata = new Map(Object.entries(letter.message.metadata));
  const parkedAt = formatTimestamp(letter.parkedAt);
  const item: DlqItem = {
    id: letter.id,
    sink: letter.sink,
    channel: letter.channel,
    recipient: letter.recipient,
    message: { subject, body, metadata },
    last_error: letter.lastError,
    attempts: letter.attempts,
    parked_at: parkedAt,
    at: parkedAt,
    subject,
    body,
    metadata,
    group: errorGroup(letter.lastError),
    hidden: false,
    edits: (letter.edits ?? []).map(({ by, at }) => ({ by, at: formatTimestamp(at) })),
    size: Buffer.byteLength(body),
    truncated: false,
  };
  return cutTo(mostBytes, item, halfOfItem);
}

/** A letter without the copies of its message, then with half of what is the longest in it. */
function halfOfItem(item: DlqItem): DlqItem | undefined {
  if (item.subject !== '' || item.body !== '' || item.metadata.size > 0)
    return { ...item, subject: '', body: '', metadata: new Map() };
  const { message, recipient } = item;
  const { subject, body, metadata } = message;
  const halves: readonly (readonly [bytes: number, half: () => Partial<DlqItem>])[] = [
    [jsonBytes(body), () => ({ message: { ...message, body: halfOfText(body) } })],
    [jsonBytes(subject), () => ({ message: { ...message, subject: halfOfText(subject) } })],
    [jsonBytes(metadata), () => ({ message: { ...message, metadata: halfOfTexts(metadata) } })],
    [jsonBytes(recipient ?? null), () => ({ recipient: null })],
  ];
  const [longest] = halves.toSorted(([left], [right]) => right - left);
  return longest === undefined || longest[0] <= LEAST_BYTES
    ? undefined
    : { ...item, ...longest[1](), truncated: true };
}

/** A letter for a caller that does not see messages. */
function hiddenItem(item: DlqItem): DlqItem {
  const empty = { subject: '', body: '', metadata: new Map<string, string>() };
  return {
    ...item,
    recipient: maskedRecipient(item.recipient),
    message: empty,
    last_error: maskedText(item.last_error),
    ...empty,
    hidden: true,
  };
}

/** @throws MsgError MSG_INVALID_ARGUMENT */
export function required(id: string): string {
  if (id === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'id is required');
  return id;
}

/** Ids of one request. @throws MsgError MSG_INVALID_ARGUMENT for more than 500 */
export function boundedIds(ids: readonly string[]): readonly string[] {
  if (ids.length <= MAX_IDS) return ids;
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `ids must not have more than ${MAX_IDS} entries; got ${ids.length}`,
  );
}

async function listedPage(
  deadLetters: DeadLetters,
  filter: LetterFilter,
  limit: number,
  cursor: string,
): Promise<LetterPage> {
  const after = readCursor(LISTING, cursor);
  const isAll = limit === 0 && cursor + filter.channel + filter.group + filter.query === '';
  const most = isAll ? Number.POSITIVE_INFINITY : readLimit(limit, DEFAULT_LIMIT, MAX_LIMIT);
  const asked = { limit: most, ...defined({ after }) };
  const page = await deadLetters.page(filter, asked);
  if (page === undefined) throw foreignCursor();
  return page;
}

/** Handlers of the dead-letter group. */
export function deadLetterHandlers(
  deadLetters: DeadLetters,
  access: Pick<AccessControl, 'showsPayloads'>,
): Pick<RpcHandlers, DlqMethods> {
  return {
    async DlqList({ limit, cursor, ...filter }, { principal }) {
      const page = await listedPage(deadLetters, filter, limit, cursor);
      const items = page.letters.map(letter => dlqItem(deadLetters, letter));
      return {
        items: access.showsPayloads(principal) ? items : items.map(hiddenItem),
        next_cursor: page.next === undefined ? '' : writeCursor(LISTING, page.next),
        total: page.total,
      };
    },
    DlqGet: async ({ id }) => ({ item: dlqItem(deadLetters, await deadLetters.get(required(id))) }),
    async DlqGroups({ sink }, { principal }) {
      const isShown = access.showsPayloads(principal);
      const groups = (await deadLetters.groups(sink)).map(({ sample, oldest, newest, ...group }) => ({
        ...group,
        sample: isShown ? sample : maskedText(sample),
        oldest: formatTimestamp(oldest),
        newest: formatTimestamp(newest),
      }));
      const { rows, more } = withinAnswer(groups);
      return { groups: rows, more };
    },
    DlqCount: async ({ sink }) => ({ count: await deadLetters.count(sink) }),
    async DlqReplay({ id }) {
      const { outcome, attempts, lastError } = await deadLetters.resend(required(id));
      return { outcome, attempts, last_error: lastError };
    },
  };
}
