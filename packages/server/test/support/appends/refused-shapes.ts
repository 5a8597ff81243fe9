// Operations and members of append streams that are refused whatever is open (append streams 3, 3.1, 5.1).
import { base64, INVALID, type RefusedRequest, raw, TEXT } from './refused-request.ts';

const LONG_ID = 'x'.repeat(65);

/** Operations that no message takes, the first of one neither. */
const ROWS: readonly (readonly [what: string, request: object, says: string])[] = [
  ['half of a surrogate pair', { text: 'half \ud83d' }, 'ops[0].text has half of a surrogate pair'],
  ['an item that is no JSON', { ops: [{ item: raw('{"a":') }] }, 'ops[0].item is not one JSON value'],
  ['two values in an item', { ops: [{ item: raw('1 2') }] }, 'ops[0].item is not one JSON value'],
  [
    'an item that is not UTF-8',
    { ops: [{ item: Buffer.from([0x22, 0xff, 0x22]).toString('base64') }] },
    'not one JSON value',
  ],
  [
    'an open member in what is not an object',
    { ops: [{ item: base64([1]), open: 'delta' }] },
    'ops[0].item is not a JSON object',
  ],
  [
    'an open member that is there',
    { ops: [{ item: base64({ delta: '' }), open: 'delta' }] },
    'has the member "delta" already',
  ],
  [
    'a long name of an open member',
    { ops: [{ item: base64({}), open: LONG_ID }] },
    'ops[0].open must be a name of at most 64 bytes',
  ],
  ['an open member without an item', { ops: [{ text: 'x', open: 'delta' }] }, 'ops[0].open goes with item'],
  ['a meta that is not an object', { ops: [{ meta: base64([1]) }] }, 'ops[0].meta is not a JSON object'],
  ['a meta that is no JSON', { ops: [{ meta: raw('{') }] }, 'ops[0].meta is not one JSON value'],
  [
    'a large meta',
    { ops: [{ meta: base64({ a: 'x'.repeat(4090) }) }] },
    'ops[0].meta is longer than 4096 bytes',
  ],
  ['another status', { ops: [{ status: 'done' }] }, 'status complete, cancelled or failed'],
  [
    'the status of an open message',
    { ops: [{ status: 'streaming' }] },
    'status complete, cancelled or failed',
  ],
  [
    'an operation after the end',
    { ops: [{ status: 'complete' }, { text: 'x' }] },
    'ops[0]: status must be the last operation',
  ],
  [
    'two ends',
    { ops: [{ status: 'complete' }, { status: 'failed' }] },
    'ops[0]: status must be the last operation',
  ],
  [
    'a long reason',
    { ops: [{ status: 'failed', reason: 'ü'.repeat(129) }] },
    'ops[0].reason is longer than 256 bytes',
  ],
  [
    'half a character in a reason',
    { ops: [{ status: 'failed', reason: '\ud83d' }] },
    'ops[0].reason is not well-formed',
  ],
  ['a reason without an end', { ops: [{ text: 'x', reason: 'y' }] }, 'ops[0].reason goes with status'],
  [
    'an operation without a member',
    { ops: [{ text: 'x' }, {}] },
    'ops[1] must have exactly one of text, item, meta and status',
  ],
  [
    'an operation with two members',
    { ops: [{ text: 'x', meta: base64({}) }] },
    'ops[0] must have exactly one of',
  ],
  [
    'the second of two operations',
    { ops: [{ text: 'x' }, { meta: base64(7) }] },
    'ops[1].meta is not a JSON object',
  ],
  ['text and operations', { text: 'x', ops: [{ text: 'y' }] }, 'text and ops exclude each other'],
  [
    '1,025 operations',
    { ops: Array.from({ length: 1025 }, () => ({ text: '' })) },
    'more than 1024 operations',
  ],
  ['no id of the message', { message: '', text: 'x' }, 'message must be 1 to 64 of'],
  ['another character in the id', { message: 'a/b', text: 'x' }, 'message must be 1 to 64 of'],
  ['a long id', { message: LONG_ID, text: 'x' }, 'message must be 1 to 64 of'],
  ['no producer', { producer: '', text: 'x' }, 'producer must be 1 to 64 of'],
  ['a producer that is no id', { producer: 'a b', text: 'x' }, 'producer must be 1 to 64 of'],
  ['a run that is no id', { run: 'a b', text: 'x' }, 'run must be 1 to 64 of'],
  ['an input that is no id', { input: 'ü', text: 'x' }, 'input must be 1 to 64 of'],
  ['another format', { format: 'xml', text: 'x' }, 'format must be text or items'],
  ['a short orphan time', { orphan_seconds: 4, text: 'x' }, '5 seconds to 1 hour'],
  ['a long orphan time', { orphan_seconds: 3601, text: 'x' }, '5 seconds to 1 hour'],
  ['a negative orphan time', { orphan_seconds: -5, text: 'x' }, '5 seconds to 1 hour'],
  ['the number 0', { seq: 0, text: 'x' }, 'seq must be the number of the first operation'],
  ['the number 2^53 - 1', { seq: 2 ** 53 - 1, text: 'x' }, 'seq is too large'],
  ['a sink without an end', { text: 'x', or_sink: { sink: 'mail' } }, 'or_sink goes with a final status'],
  ['a sink with a heartbeat', { or_sink: { sink: 'mail' } }, 'or_sink goes with a final status'],
];

/** Shapes, as the first request of a message and as a later one. */
export const SHAPES: readonly RefusedRequest[] = ROWS.flatMap(([what, request, says]) => [
  { what: `${what}, first`, request: { seq: 1, ...request }, code: INVALID, says },
  { what: `${what}, later`, before: [TEXT], request: { seq: 2, ...request }, code: INVALID, says },
]);

/** Bodies that the method cannot read. */
export const MALFORMED: readonly RefusedRequest[] = [
  ['a negative number', { seq: -1, text: 'x' }],
  ['half a number', { seq: 1.5, text: 'x' }],
  ['a number above 2^53', { seq: 2 ** 53, text: 'x' }],
  ['an operation that is not an object', { seq: 1, ops: ['x'] }],
  ['operations that are not a list', { seq: 1, ops: { text: 'x' } }],
  ['a text that is not text', { seq: 1, text: 7 }],
].map(([what, request]) => ({
  what: String(what),
  request: request as object,
  code: INVALID,
  isMalformed: true,
}));
