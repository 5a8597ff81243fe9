import { copyBytes } from '../bytes/arena.ts';
import { digitCount, writeDigits } from './digits.ts';

const LF = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const AT = 0x40;

/** A state of a document whose middle grows: head, body, suffix, in this order (append streams 3). */
export interface GrownDocument {
  /** The same object while the head stays the same. */
  readonly head: Uint8Array;
  /** Memory that begins with the body; later states may have written behind it. */
  readonly memory: Uint8Array;
  /** Bytes of the body. */
  readonly bodyLength: number;
  readonly suffix: Uint8Array;
  /** Checksum of the whole document, as {@link checksum} would compute it. */
  readonly checksum: number;
}

/** Bytes of the whole document. */
export function documentLength({ head, bodyLength, suffix }: GrownDocument): number {
  return head.length + bodyLength + suffix.length;
}

/**
 * The patch from one state of a document to a later one, in time linear in what was added; null when it is not smaller
 * than the later state (append streams 8.1). The body of `to` must begin with the body of `from`.
 */
export function appendPatch(from: GrownDocument, to: GrownDocument): Uint8Array | null {
  const length = documentLength(to);
  const sameHead = from.head === to.head;
  const copied = sameHead ? from.head.length + from.bodyLength : from.bodyLength;
  const source = sameHead ? 0 : from.head.length;
  const literal = to.bodyLength - from.bodyLength + to.suffix.length;
  let size = digitCount(length) + digitCount(literal) + literal + digitCount(to.checksum) + 3;
  if (!sameHead) size += digitCount(to.head.length) + 1 + to.head.length;
  if (copied > 0) size += digitCount(copied) + digitCount(source) + 2;
  if (size >= length) return null;

  const out = new Uint8Array(size);
  let at = writeDigits(length, out, 0);
  out[at++] = LF;
  if (!sameHead) at = writeLiteralHead(to.head.length, out, at);
  if (!sameHead) at = write(to.head, 0, to.head.length, out, at);
  if (copied > 0) {
    at = writeDigits(copied, out, at);
    out[at++] = AT;
    at = writeDigits(source, out, at);
    out[at++] = COMMA;
  }
  at = writeLiteralHead(literal, out, at);
  at = write(to.memory, from.bodyLength, to.bodyLength, out, at);
  at = write(to.suffix, 0, to.suffix.length, out, at);
  at = writeDigits(to.checksum, out, at);
  out[at] = SEMICOLON;
  return out;
}

function writeLiteralHead(length: number, to: Uint8Array, at: number): number {
  const end = writeDigits(length, to, at);
  to[end] = COLON;
  return end + 1;
}

function write(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  copyBytes(from, start, end, to, at);
  return at + end - start;
}
