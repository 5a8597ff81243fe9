import { type Arena, copyBytes } from '../bytes/arena.ts';
import { isPairAt, writeCodePoint } from '../bytes/utf8.ts';
import { EncodeError } from '../encode-error.ts';
import { PLAIN, QUOTE, ZERO } from './text/characters.ts';
import { MAX_ESCAPE, quotedLength, writeEscape, writeQuoted } from './text/quote.ts';

const INITIAL_BYTES = 4_096;
/** A larger buffer is released after use. */
const KEPT_BYTES = 262_144;

/** Writes strings and numbers as JSON text to its own buffer, which it reuses. Throws {@link EncodeError}. */
export class JsonTextWriter {
  #buffer: Uint8Array;
  #pos: number;

  constructor() {
    this.#buffer = new Uint8Array(INITIAL_BYTES);
    this.#pos = 0;
  }

  /** Starts a new text; also required after an error. */
  begin(): void {
    this.#pos = 0;
  }

  get size(): number {
    return this.#pos;
  }

  /** A copy of the text, from the arena. */
  finish(arena: Arena): Uint8Array {
    const out = arena.take(this.#pos);
    this.copyTo(out, 0);
    return out;
  }

  /** A copy of a part of the text, with its own memory. */
  protected piece(from: number, to: number): Uint8Array {
    return this.#buffer.slice(from, to);
  }

  /** Copies the text to `to[at…]`. */
  copyTo(to: Uint8Array, at: number): void {
    copyBytes(this.#buffer, 0, this.#pos, to, at);
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = new Uint8Array(INITIAL_BYTES);
  }

  #reserve(size: number): void {
    const needed = this.#pos + size;
    if (needed <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.#buffer.subarray(0, this.#pos));
    this.#buffer = grown;
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#pos++] = byte;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    copyBytes(bytes, 0, bytes.length, this.#buffer, this.#pos);
    this.#pos += bytes.length;
  }

  /** Writes UTF-8 text as a JSON string. */
  quoted(text: Uint8Array): void {
    this.#reserve(quotedLength(text));
    this.#pos = writeQuoted(text, this.#buffer, this.#pos);
  }

  string(text: string): void {
    this.#reserve(text.length * MAX_ESCAPE + 2);
    const to = this.#buffer;
    let out = this.#pos;
    to[out++] = QUOTE;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) {
        if (PLAIN[unit] === 1 || unit === 0x7f) to[out++] = unit;
        else out = writeEscape(unit, to, out);
      } else if (isPairAt(text, i, unit)) {
        const code = 0x10000 + ((unit - 0xd800) << 10) + (text.charCodeAt(++i) - 0xdc00);
        out = writeCodePoint(code, to, out);
      } else out = writeCodePoint(unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit, to, out);
    }
    to[out++] = QUOTE;
    this.#pos = out;
  }

  /** Writes a whole number of at most 2^53 − 1 in size. */
  integer(value: number): void {
    if (!Number.isSafeInteger(value)) throw new EncodeError('out_of_range', 'not a safe integer');
    if (value < 0 || value > 0x7fff_ffff) {
      this.word(String(value));
      return;
    }
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) digits++;
    this.#reserve(digits);
    let rest = value;
    for (let at = this.#pos + digits - 1; at >= this.#pos; at--) {
      const quotient = (rest / 10) | 0;
      this.#buffer[at] = ZERO + (rest - quotient * 10);
      rest = quotient;
    }
    this.#pos += digits;
  }

  protected double(value: number): void {
    if (!Number.isFinite(value)) throw new EncodeError('out_of_range', 'not a finite number');
    this.word(Object.is(value, -0) ? '-0' : String(value));
  }

  protected word(word: string): void {
    this.#reserve(word.length);
    for (let i = 0; i < word.length; i++) this.#buffer[this.#pos++] = word.charCodeAt(i);
  }
}
