import { asciiText } from '../bytes/text.ts';
import { isUtf8Range } from '../bytes/utf8.ts';
import type { Publication } from '../messages/publication.ts';
import type { StreamPosition } from '../messages/stream-position.ts';
import { epochText, indexOf, malformed, wholeNumber } from './message-header.ts';
import { publicationAt } from './records.ts';

/** A state of an append stream: what was added since the one before it (append streams 9.1). */
export interface StateMessage {
  readonly kind: 'state';
  readonly position: StreamPosition;
  /** Id of the message that grows. */
  readonly message: string;
  /** Bytes of the body before. */
  readonly from: number;
  /** What is open at the end of the body: `t` the text, `o` the string of the last item, `c` nothing. */
  readonly tail: string;
  readonly opened: boolean;
  readonly ended: boolean;
  /** The publication one offset before is the previous state. */
  readonly afterState: boolean;
  /** Who ended it. */
  readonly by: 'producer' | 'cancel' | 'orphan';
  /** The new head; null: it stays. */
  readonly head: Uint8Array | null;
  /** Added to the body. */
  readonly added: Uint8Array;
  /** Tags and time of the last state, without its data; null while the message is open. */
  readonly end: Publication | null;
}

const OPENED = 1;
const ENDED = 2;
const AFTER_STATE = 4;
const BY_CANCEL = 8;
const BY_ORPHAN = 16;
/** Bytes of `__a1:`. */
const HEADER_BYTES = 5;
const COLON = 0x3a;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAILS: readonly string[] = ['t', 'o', 'c'];
/** All flags together. */
const MAX_FLAGS = 31;

/** Decodes `__a1:offset:epoch:message:from:tail:flags:length:head:length:added` and the tags of an end. @throws DecodeError */
export function decodeStateMessage(bytes: Uint8Array): StateMessage {
  const colons: number[] = [];
  for (let at = HEADER_BYTES; colons.length < 7; at = (colons.at(-1) as number) + 1)
    colons.push(indexOf(bytes, COLON, at));
  const [c0, c1, c2, c3, c4, c5, c6] = colons as [number, number, number, number, number, number, number];
  const offset = wholeNumber(bytes, HEADER_BYTES, c0);
  const flags = wholeNumber(bytes, c4 + 1, c5);
  const headEnd = c6 + 1 + wholeNumber(bytes, c5 + 1, c6);
  if (bytes[headEnd] !== COLON) throw malformed();
  const c7 = indexOf(bytes, COLON, headEnd + 1);
  const addedEnd = c7 + 1 + wholeNumber(bytes, headEnd + 1, c7);
  const ended = (flags & ENDED) !== 0;
  if (ended ? addedEnd > bytes.length : addedEnd !== bytes.length) throw malformed();
  const opened = (flags & OPENED) !== 0;
  const hasHead = headEnd > c6 + 1;
  const from = wholeNumber(bytes, c2 + 1, c3);
  const tail = asciiText(bytes, c3 + 1, c4);
  // An opening and an end say the whole head; an opening begins the body.
  if (flags > MAX_FLAGS || !TAILS.includes(tail) || ((opened || ended) && !hasHead)) throw malformed();
  if (c2 === c1 + 1 || (opened && from > 0)) throw malformed();
  if (!isDocumentText(bytes, c6 + 1, headEnd) || !isDocumentText(bytes, c7 + 1, addedEnd)) throw malformed();
  const by = (flags & BY_CANCEL) !== 0 ? 'cancel' : (flags & BY_ORPHAN) !== 0 ? 'orphan' : 'producer';
  return {
    kind: 'state',
    position: { offset, epoch: epochText(bytes, c0 + 1, c1) },
    message: asciiText(bytes, c1 + 1, c2),
    from,
    tail,
    opened,
    ended,
    afterState: (flags & AFTER_STATE) !== 0,
    by,
    head: hasHead ? bytes.subarray(c6 + 1, headEnd) : null,
    added: bytes.subarray(c7 + 1, addedEnd),
    end: ended ? publicationAt(bytes, addedEnd, bytes.length, offset) : null,
  };
}

/** Whether bytes may stand in a document: whole characters without line breaks. */
function isDocumentText(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === LINE_FEED || bytes[i] === CARRIAGE_RETURN) return false;
  return isUtf8Range(bytes, start, end);
}
