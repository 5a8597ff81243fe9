import { DecodeError } from '../decode-error.ts';
import { REPLY_DECODE_LIMITS } from '../limits.ts';
import { checksum } from './checksum.ts';
import { digitValue } from './digits.ts';

const LF = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const AT = 0x40;

/**
 * Applies a fossil delta (client protocol, appendix B). Length and checksum are verified.
 *
 * @param maxBytes longest accepted result; the delta states the length of its result.
 * @throws DecodeError with code `bad_delta` when it does not apply, `too_large` when the result would be too long.
 */
export function applyDelta(
  base: Uint8Array,
  delta: Uint8Array,
  maxBytes: number = REPLY_DECODE_LIMITS.messageBytes,
): Uint8Array {
  const reader = new DeltaReader(delta);
  const size = reader.number();
  reader.expect(LF);
  if (size > maxBytes) throw new DecodeError('too_large', 'delta result above the size limit');
  const target = new Uint8Array(size);
  let covered = 0;
  for (;;) {
    const value = reader.number();
    const command = reader.byte();
    if (command === SEMICOLON) {
      if (covered !== size || !reader.atEnd) throw bad('length differs');
      if (value !== checksum(target)) throw bad('checksum differs');
      return target;
    }
    if (value > size - covered) throw bad('goes beyond the result');
    if (command === AT) {
      const offset = reader.number();
      reader.expect(COMMA);
      if (offset + value > base.length) throw bad('copies from beyond the base');
      target.set(base.subarray(offset, offset + value), covered);
    } else if (command === COLON) target.set(reader.take(value), covered);
    else throw bad('unknown command');
    covered += value;
  }
}

function bad(what: string): DecodeError {
  return new DecodeError('bad_delta', `delta ${what}`);
}

class DeltaReader {
  readonly #delta: Uint8Array;
  #pos: number;

  constructor(delta: Uint8Array) {
    this.#delta = delta;
    this.#pos = 0;
  }

  get atEnd(): boolean {
    return this.#pos === this.#delta.length;
  }

  /** A number of at least one digit, below 2^32. */
  number(): number {
    const start = this.#pos;
    let value = 0;
    while (this.#pos < this.#delta.length) {
      const digit = digitValue(this.#delta[this.#pos]!);
      if (digit === 64) break;
      value = value * 64 + digit;
      if (value > 0xffff_ffff) throw bad('number too large');
      this.#pos++;
    }
    if (this.#pos === start) throw bad('lacks a number');
    return value;
  }

  byte(): number {
    if (this.atEnd) throw bad('ends early');
    return this.#delta[this.#pos++]!;
  }

  expect(byte: number): void {
    if (this.byte() !== byte) throw bad('lacks a separator');
  }

  take(size: number): Uint8Array {
    if (size > this.#delta.length - this.#pos) throw bad('ends early');
    this.#pos += size;
    return this.#delta.subarray(this.#pos - size, this.#pos);
  }
}
