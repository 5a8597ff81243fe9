// Requests of append streams that are refused because of their numbers (append streams 4).
import { END, type RefusedRequest, TEXT } from './refused-request.ts';

const first = { expected_seq: '1' };

/** Numbers, the rows of append streams 4. */
export const NUMBERS: readonly RefusedRequest[] = [
  {
    what: 'an unknown message from another number',
    request: { seq: 2, text: 'x' },
    code: 'MSG_APPEND_NOT_FOUND',
    meta: first,
  },
  { what: 'a heartbeat of an unknown message', request: {}, code: 'MSG_APPEND_NOT_FOUND', meta: first },
  {
    what: 'an unknown message while another is open',
    before: [TEXT],
    request: { message: 'n', seq: 3, text: 'x' },
    code: 'MSG_APPEND_NOT_FOUND',
    meta: first,
  },
  {
    what: 'another message while one is open',
    before: [TEXT],
    request: { message: 'n', seq: 1, text: 'x' },
    code: 'MSG_APPEND_BUSY',
    meta: { message: 'm' },
  },
  {
    what: 'a gap',
    before: [TEXT],
    request: { seq: 3, text: 'x' },
    code: 'MSG_APPEND_GAP',
    meta: { expected_seq: '2' },
  },
  {
    what: 'a gap before an end',
    before: [TEXT],
    request: { seq: 4, ops: [{ status: 'complete' }] },
    code: 'MSG_APPEND_GAP',
    meta: { expected_seq: '2' },
  },
  {
    what: 'another producer',
    before: [TEXT],
    request: { producer: 'q', seq: 2, text: 'x' },
    code: 'MSG_APPEND_FENCED',
    meta: { producer: 'p', expected_seq: '2' },
  },
  {
    what: 'a heartbeat of another producer',
    before: [TEXT],
    request: { producer: 'q' },
    code: 'MSG_APPEND_FENCED',
    meta: { producer: 'p', expected_seq: '2' },
  },
  {
    what: 'a duplicate of another producer',
    before: [TEXT],
    request: { producer: 'q', ...TEXT },
    code: 'MSG_APPEND_FENCED',
    meta: { producer: 'p', expected_seq: '2' },
  },
  {
    what: 'a take-over from an earlier number',
    before: [TEXT],
    request: { producer: 'q', ...TEXT, take_over: true },
    code: 'MSG_APPEND_FENCED',
    meta: { producer: 'p', expected_seq: '2' },
  },
  {
    what: 'a take-over from a later number',
    before: [TEXT],
    request: { producer: 'q', seq: 3, text: 'x', take_over: true },
    code: 'MSG_APPEND_FENCED',
    meta: { producer: 'p', expected_seq: '2' },
  },
  {
    what: 'the former producer after a take-over',
    before: [TEXT, { producer: 'q', seq: 2, take_over: true }],
    request: { seq: 2, text: 'x' },
    code: 'MSG_APPEND_FENCED',
    meta: { producer: 'q', expected_seq: '2' },
  },
  {
    what: 'a newer operation after the end',
    before: [TEXT, END],
    request: { seq: 3, text: 'x' },
    code: 'MSG_APPEND_CLOSED',
    meta: { status: 'complete', seq: '2' },
  },
  {
    what: 'the id of an ended message, opened by another producer',
    before: [TEXT, END],
    request: { producer: 'q', ...TEXT },
    code: 'MSG_APPEND_CLOSED',
    meta: { status: 'complete', seq: '2' },
  },
  {
    what: 'the same with more than it had',
    before: [TEXT, END],
    request: { seq: 1, ops: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] },
    code: 'MSG_APPEND_CLOSED',
    meta: { status: 'complete', seq: '2' },
  },
  {
    what: 'a heartbeat of another producer after the end',
    before: [TEXT, END],
    request: { producer: 'q' },
    code: 'MSG_APPEND_CLOSED',
    meta: { status: 'complete', seq: '2' },
  },
  {
    what: 'an ended message while another is open',
    before: [TEXT, END, { message: 'n', ...TEXT }],
    request: { seq: 3, text: 'x' },
    code: 'MSG_APPEND_CLOSED',
    meta: { status: 'complete', seq: '2' },
  },
];
