import { sequenceLength } from '../../bytes/utf8.ts';
import { HEX_DIGIT, SIMPLE_ESCAPE } from './characters.ts';

// Declared here because V8 inlines only constants of the same module; imported ones cost a fifth of a scan.
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** As in `characters.ts`. */
const PLAIN = new Uint8Array(256);
for (let byte = 0x20; byte < 0x80; byte++) PLAIN[byte] = byte === QUOTE || byte === BACKSLASH ? 0 : 1;

/** What stopped a scan. */
export type ScanError = 'malformed' | 'truncated' | 'too_deep';

/**
 * Scans JSON text as bytes and checks it (RFC 8259, well-formed UTF-8) without building values. Every `skip…` method
 * returns whether the text was valid, and moves `pos` behind it.
 */
export class JsonScanner {
  bytes: Uint8Array;
  pos: number;
  end: number;
  /** CR and LF seen between tokens since the caller last set it to 0. */
  breaks: number;
  /** True when the last skipped string has an escape or a byte above 0x7f. */
  escaped: boolean;
  nonAscii: boolean;
  failure: ScanError;
  /** Whether LF is white space (a payload of its own) or the end of the message (a line of a batch). */
  readonly multiline: boolean;

  constructor(bytes: Uint8Array, pos: number, end: number, multiline: boolean) {
    this.bytes = bytes;
    this.pos = pos;
    this.end = end;
    this.breaks = 0;
    this.escaped = false;
    this.nonAscii = false;
    this.failure = 'malformed';
    this.multiline = multiline;
  }

  /** Skips white space and answers the byte after it, or −1 at the end. */
  token(): number {
    if (this.pos < this.end) {
      const c = this.bytes[this.pos]!;
      if (c > SPACE) return c;
    }
    return this.tokenAfterSpace();
  }

  private tokenAfterSpace(): number {
    while (this.pos < this.end) {
      const c = this.bytes[this.pos]!;
      if (c === LF) {
        if (!this.multiline) return c;
        this.breaks++;
      } else if (c === CR) this.breaks++;
      else if (c !== SPACE && c !== TAB) return c;
      this.pos++;
    }
    return -1;
  }

  /** Skips one value of any kind, which may nest `depth` brackets. */
  skipValue(depth: number): boolean {
    switch (this.token()) {
      case QUOTE:
        return this.skipString();
      case OPEN_OBJECT:
        return this.skipObject(depth);
      case OPEN_ARRAY:
        return this.skipArray(depth);
      case 0x74:
        return this.skipWord('true');
      case 0x66:
        return this.skipWord('false');
      case 0x6e:
        return this.skipWord('null');
      default:
        return this.skipNumber();
    }
  }

  private skipObject(depth: number): boolean {
    if (depth === 0) return this.fail('too_deep');
    this.pos++;
    if (this.token() === CLOSE_OBJECT) {
      this.pos++;
      return true;
    }
    for (;;) {
      if (this.token() !== QUOTE) return this.failHere();
      if (!this.skipString()) return false;
      if (this.token() !== COLON) return this.failHere();
      this.pos++;
      if (!this.skipValue(depth - 1)) return false;
      const c = this.token();
      if (c !== COMMA && c !== CLOSE_OBJECT) return this.failHere();
      this.pos++;
      if (c === CLOSE_OBJECT) return true;
    }
  }

  private skipArray(depth: number): boolean {
    if (depth === 0) return this.fail('too_deep');
    this.pos++;
    if (this.token() === CLOSE_ARRAY) {
      this.pos++;
      return true;
    }
    for (;;) {
      if (!this.skipValue(depth - 1)) return false;
      const c = this.token();
      if (c !== COMMA && c !== CLOSE_ARRAY) return this.failHere();
      this.pos++;
      if (c === CLOSE_ARRAY) return true;
    }
  }

  /** Skips a string; `pos` is at its opening quote. */
  skipString(): boolean {
    const { bytes, end } = this;
    this.escaped = false;
    this.nonAscii = false;
    const stop = plainEnd(bytes, this.pos + 1, end);
    if (stop < end && bytes[stop] === QUOTE) {
      this.pos = stop + 1;
      return true;
    }
    return this.skipStringFrom(stop);
  }

  /** Continues inside a string at a character that is not plain. */
  private skipStringFrom(at: number): boolean {
    const { bytes, end } = this;
    let i = at;
    while (i < end) {
      const c = bytes[i]!;
      if (c === QUOTE) {
        this.pos = i + 1;
        return true;
      }
      const isEscape = c === BACKSLASH;
      const length = isEscape ? escapeLength(bytes, i, end) : c < 0x80 ? 0 : sequenceLength(bytes, i, end);
      if (length === 0) return this.fail('malformed');
      if (isEscape) this.escaped = true;
      else this.nonAscii = true;
      i = plainEnd(bytes, i + length, end);
    }
    return this.fail('truncated');
  }

  /** Skips a number; anything else is refused. */
  skipNumber(): boolean {
    const { bytes, end } = this;
    let i = this.pos;
    if (i < end && bytes[i] === MINUS) i++;
    if (i >= end) return this.failHere();
    if (bytes[i] === ZERO) i++;
    else {
      const first = i;
      i = digitsEnd(bytes, i, end);
      if (i === first) return this.fail('malformed');
    }
    if (i < end && bytes[i] === DOT) {
      const first = ++i;
      i = digitsEnd(bytes, i, end);
      if (i === first) return this.fail('malformed');
    }
    if (i < end && (bytes[i]! | 0x20) === 0x65) {
      i++;
      if (i < end && (bytes[i] === PLUS || bytes[i] === MINUS)) i++;
      const first = i;
      i = digitsEnd(bytes, i, end);
      if (i === first) return this.fail('malformed');
    }
    this.pos = i;
    return true;
  }

  private skipWord(word: string): boolean {
    if (this.end - this.pos < word.length) return this.fail('truncated');
    for (let i = 0; i < word.length; i++) {
      if (this.bytes[this.pos + i] !== word.charCodeAt(i)) return this.fail('malformed');
    }
    this.pos += word.length;
    return true;
  }

  private failHere(): boolean {
    return this.fail(this.pos < this.end ? 'malformed' : 'truncated');
  }

  private fail(failure: ScanError): boolean {
    this.failure = failure;
    return false;
  }
}

/** Index of the first byte from `at` on that is not a plain character of a string, or `end`. */
function plainEnd(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && PLAIN[bytes[i]!] === 1) i++;
  return i;
}

function escapeLength(bytes: Uint8Array, at: number, end: number): 0 | 2 | 6 {
  if (at + 1 >= end) return 0;
  if (SIMPLE_ESCAPE[bytes[at + 1]!] === 1) return 2;
  if (bytes[at + 1] !== 0x75 || at + 5 >= end) return 0;
  for (let i = at + 2; i < at + 6; i++) if (HEX_DIGIT[bytes[i]!] === 0) return 0;
  return 6;
}

function digitsEnd(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && bytes[i]! >= ZERO && bytes[i]! <= NINE) i++;
  return i;
}

/** The bytes of valid JSON text `bytes[start, end)` without the CR and LF between its tokens. */
export function withoutBreaks(bytes: Uint8Array, start: number, end: number): Uint8Array {
  // Strings of valid JSON contain no raw CR or LF, so each one is between tokens.
  const out = new Uint8Array(end - start);
  let size = 0;
  for (let i = start; i < end; i++) {
    const c = bytes[i]!;
    if (c !== CR && c !== LF) out[size++] = c;
  }
  return out.subarray(0, size);
}
