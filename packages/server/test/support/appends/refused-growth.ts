// Requests of append streams that are refused because of what is there: its tail, its members, its size.
import {
  base64,
  CLOSED_ITEM,
  END,
  INVALID,
  MAX_BYTES,
  OPEN_ITEM,
  type RefusedRequest,
  TEXT,
} from './refused-request.ts';

const NO_STRING = 'no string is open for text';
const OTHER = 'are set when the message opens';

/** Operations that the tail of a message does not take, and members that it has already (append streams 3.1, 5.1). */
export const TAILS: readonly RefusedRequest[] = [
  {
    what: 'text in an empty list',
    request: { seq: 1, format: 'items', text: 'x' },
    code: INVALID,
    says: NO_STRING,
  },
  {
    what: 'text after a closed item',
    before: [CLOSED_ITEM],
    request: { seq: 2, text: 'x' },
    code: INVALID,
    says: NO_STRING,
  },
  {
    what: 'text after an item in the same request',
    before: [OPEN_ITEM],
    request: { seq: 3, ops: [{ item: base64(1) }, { text: 'x' }] },
    code: INVALID,
    says: `ops[1]: ${NO_STRING}`,
  },
  {
    what: 'an item as the first of a text',
    request: { seq: 1, ops: [{ item: base64(1) }] },
    code: INVALID,
    says: 'items need a message of format items',
  },
  {
    what: 'an item in a text',
    before: [TEXT],
    request: { seq: 2, ops: [{ text: 'x' }, { item: base64(1) }] },
    code: INVALID,
    says: 'ops[1]: items need a message of format items',
  },
  {
    what: 'another format',
    before: [TEXT],
    request: { seq: 2, text: 'x', format: 'items' },
    code: INVALID,
    says: OTHER,
  },
  {
    what: 'another run',
    before: [{ ...TEXT, run: 'r' }],
    request: { seq: 2, text: 'x', run: 's' },
    code: INVALID,
    says: OTHER,
  },
  {
    what: 'a run that was not said',
    before: [TEXT],
    request: { seq: 2, text: 'x', run: 's' },
    code: INVALID,
    says: OTHER,
  },
  {
    what: 'another input',
    before: [{ ...TEXT, input: 'i' }],
    request: { seq: 2, text: 'x', input: 'j' },
    code: INVALID,
    says: OTHER,
  },
  {
    what: 'another orphan time',
    before: [{ ...TEXT, orphan_seconds: 60 }],
    request: { seq: 2, text: 'x', orphan_seconds: 61 },
    code: INVALID,
    says: OTHER,
  },
  { what: 'another run in a heartbeat', before: [TEXT], request: { run: 's' }, code: INVALID, says: OTHER },
  {
    what: 'an unknown sink',
    before: [TEXT],
    request: { ...END, or_sink: { sink: 'none' } },
    code: 'MSG_SINK_CONFIG_INVALID',
    says: 'no sink is registered as "none"',
  },
  {
    what: 'a sink for items without a body',
    before: [CLOSED_ITEM],
    request: { ...END, or_sink: { sink: 'mail' } },
    code: INVALID,
    says: 'or_sink.message.body is required',
  },
  {
    what: 'the same in one request',
    request: { ...CLOSED_ITEM, ops: [...CLOSED_ITEM.ops, { status: 'complete' }], or_sink: { sink: 'mail' } },
    code: INVALID,
    says: 'or_sink.message.body is required',
  },
];

/** Bytes of `{"id":"m","status":"streaming","text":""}`. */
const EMPTY_TEXT = 41;
const tooLarge = (size: number) => ({ max_bytes: String(MAX_BYTES), size: String(size) });
/** What a document may have beside its end. */
const ROOM = MAX_BYTES - 2048 - EMPTY_TEXT;

/** Sizes (append streams 3). */
export const SIZES: readonly RefusedRequest[] = [
  {
    what: 'a large first text',
    request: { seq: 1, text: 'x'.repeat(ROOM + 1) },
    code: 'MSG_APPEND_TOO_LARGE',
    meta: tooLarge(MAX_BYTES - 2047),
  },
  {
    what: 'one byte too many',
    before: [{ seq: 1, text: 'x'.repeat(ROOM) }],
    request: { seq: 2, text: 'y' },
    code: 'MSG_APPEND_TOO_LARGE',
    meta: tooLarge(MAX_BYTES - 2047),
  },
  {
    what: 'a text that is escaped',
    before: [TEXT],
    request: { seq: 2, text: '\n'.repeat(3052) },
    code: 'MSG_APPEND_TOO_LARGE',
    meta: tooLarge(EMPTY_TEXT + 1 + 2 * 3052),
  },
  {
    what: 'a text with its end',
    before: [TEXT],
    request: { seq: 2, ops: [{ text: 'x'.repeat(ROOM) }, { status: 'complete' }] },
    code: 'MSG_APPEND_TOO_LARGE',
    meta: tooLarge(MAX_BYTES - 2047),
  },
  {
    what: 'a meta that does not fit',
    before: [{ seq: 1, text: 'x'.repeat(ROOM) }],
    request: { seq: 2, ops: [{ meta: base64({}) }] },
    code: 'MSG_APPEND_TOO_LARGE',
    meta: tooLarge(MAX_BYTES - 2048 + 10),
  },
];
