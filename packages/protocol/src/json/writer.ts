import { type Arena, copyBytes } from '../bytes/arena.ts';
import { isPairAt, writeCodePoint } from '../bytes/utf8.ts';
import type { PublicationList } from '../codec.ts';
import { EncodeError } from '../encode-error.ts';
import { OmittedLists } from '../omitted-lists.ts';
import { Payload } from '../payload/payload.ts';
import type { NamedField } from '../schema/field.ts';
import type { Members, MessageType } from '../schema/message-type.ts';
import { checkRange } from '../schema/range.ts';
import { isZero } from '../schema/zero.ts';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  PLAIN,
  QUOTE,
  ZERO,
} from './characters.ts';
import { MAX_ESCAPE, quotedLength, writeEscape, writeQuoted } from './quote.ts';

const INITIAL_BYTES = 4_096;
/** A larger buffer is released after use. */
const KEPT_BYTES = 262_144;

/** Writes JSON text to its own buffer, which it reuses for the next message. Throws {@link EncodeError}. */
export class JsonWriter {
  #buffer: Uint8Array;
  #pos: number;
  /** Omitted lists and their places in the text. */
  #leftOut: OmittedLists | null;
  readonly #refusesBinary: boolean;

  /** @param binary whether binary payloads are written as base64 or refused */
  constructor(binary: 'base64' | 'refuse-binary' = 'base64') {
    this.#refusesBinary = binary === 'refuse-binary';
    this.#buffer = new Uint8Array(INITIAL_BYTES);
    this.#pos = 0;
    this.#leftOut = null;
  }

  /** Starts a new text; also required after an error. */
  begin(): void {
    this.#pos = 0;
    this.#leftOut = null;
  }

  /** Starts a new text without the elements of some lists. */
  beginAround(lists: ReadonlyMap<PublicationList, number>): void {
    this.#pos = 0;
    this.#leftOut = new OmittedLists(lists);
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

  /**
   * The text in pieces, with the omitted lists between them. The pieces have their own memory, because they may wait
   * long.
   */
  finishAround(): (Uint8Array | PublicationList)[] {
    const parts: (Uint8Array | PublicationList)[] = [];
    let from = 0;
    for (const { at, list } of this.#leftOut?.places ?? []) {
      parts.push(this.#buffer.slice(from, at), list);
      from = at;
    }
    parts.push(this.#buffer.slice(from, this.#pos));
    return parts;
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
      this.#word(String(value));
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

  /** Writes an object: members that hold their zero value are left out, except those marked ALWAYS. */
  message<T>(type: MessageType<T>, value: Members): void {
    this.byte(OPEN_OBJECT);
    this.members(type, value, true);
    this.byte(CLOSE_OBJECT);
  }

  /** Writes the members without the braces. `first`: no member precedes them; returns whether that is still true. */
  members<T>(type: MessageType<T>, value: Members, first: boolean): boolean {
    const { fields } = type;
    let before = first;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!;
      let member = value[field.name];
      if (isZero(field.kind, member) && !field.always) continue;
      if (field.textOnly) {
        const payload = Payload.of(member as Uint8Array | Payload);
        if (payload.kind === 'binary') continue;
        member = payload;
      }
      if (!before) this.byte(COMMA);
      before = false;
      this.bytes(field.label);
      this.#value(field, member ?? field.zero);
    }
    return before;
  }

  #value(field: NamedField, value: unknown): void {
    // The tables determine the type of each member; `Init` checked it for the caller.
    switch (field.kind) {
      case 'bool':
        this.#word(value === true ? 'true' : 'false');
        break;
      case 'str':
        this.string(value as string);
        break;
      case 'bytes':
      case 'payload':
        this.embed(Payload.of(value as Uint8Array | Payload));
        break;
      case 'double':
        this.#double(value as number);
        break;
      case 'message':
        this.message(field.type!, value as Members);
        break;
      case 'strings':
      case 'messages':
        this.#list(field, value as readonly unknown[]);
        break;
      case 'stringMap':
      case 'messageMap':
      case 'doubleMap':
        this.#map(field, value as ReadonlyMap<string, unknown>);
        break;
      default:
        checkRange(field.kind, value as number);
        this.integer(value as number);
    }
  }

  #list(field: NamedField, values: readonly unknown[]): void {
    this.byte(OPEN_ARRAY);
    if (this.#leftOut?.take(values, this.#pos) === undefined) this.#elements(field, values);
    this.byte(CLOSE_ARRAY);
  }

  #elements(field: NamedField, values: readonly unknown[]): void {
    for (let i = 0; i < values.length; i++) {
      if (i > 0) this.byte(COMMA);
      if (field.type === null) this.string(values[i] as string);
      else this.message(field.type, values[i] as Members);
    }
  }

  #map(field: NamedField, entries: ReadonlyMap<string, unknown>): void {
    this.byte(OPEN_OBJECT);
    let first = true;
    for (const [key, value] of entries) {
      if (!first) this.byte(COMMA);
      first = false;
      this.string(key);
      this.byte(COLON);
      if (field.kind === 'stringMap') this.string(value as string);
      else if (field.kind === 'doubleMap') this.#double(value as number);
      else this.message(field.type!, value as Members);
    }
    this.byte(CLOSE_OBJECT);
  }

  /** Writes the JSON form of a payload. */
  embed(payload: Payload): void {
    if (this.#refusesBinary && payload.kind === 'binary') {
      throw new EncodeError('payload_not_text', 'payload is neither JSON nor UTF-8 text');
    }
    this.bytes(payload.json);
  }

  #double(value: number): void {
    if (!Number.isFinite(value)) throw new EncodeError('out_of_range', 'not a finite number');
    this.#word(Object.is(value, -0) ? '-0' : String(value));
  }

  #word(word: string): void {
    this.#reserve(word.length);
    for (let i = 0; i < word.length; i++) this.#buffer[this.#pos++] = word.charCodeAt(i);
  }
}
