import type { Arena } from '../bytes/arena.ts';
import { asciiText, utf8Text } from '../bytes/text.ts';
import { DecodeError } from '../decode-error.ts';
import type { DecodeLimits } from '../limits.ts';
import { Payload } from '../payload/payload.ts';
import type { NamedField } from '../schema/field.ts';
import { TRIE_ROOT } from '../schema/key-trie.ts';
import type { Draft, MessageType } from '../schema/message-type.ts';
import { unquote, unquoteText } from './text/quote.ts';
import { JsonScanner, withoutBreaks } from './text/scanner.ts';

// Declared here because V8 inlines only constants of the same module; imported ones cost a fifth of a scan.
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const LOWER_N = 0x6e;

/** Reads messages from JSON text by their tables. Throws {@link DecodeError}. */
export class JsonReader extends JsonScanner {
  private readonly limits: DecodeLimits;
  private readonly arena: Arena;
  private items: number;

  /** `arena` gives the memory of payloads, which are always copies. */
  constructor(
    bytes: Uint8Array,
    pos: number,
    end: number,
    multiline: boolean,
    limits: DecodeLimits,
    arena: Arena,
  ) {
    super(bytes, pos, end, multiline);
    this.limits = limits;
    this.arena = arena;
    this.items = 0;
  }

  /** Reads a message of its own: the budget of items starts anew. */
  root<T>(type: MessageType<T>): T {
    this.resetItems();
    return this.message(type, this.limits.depth);
  }

  /** Moves to other bytes. */
  over(bytes: Uint8Array, pos: number, end: number): this {
    this.bytes = bytes;
    this.pos = pos;
    this.end = end;
    return this;
  }

  resetItems(): void {
    this.items = 0;
  }

  get depth(): number {
    return this.limits.depth;
  }

  /** Reads an object as a message. A repeated member counts the last time; unknown ones are skipped. */
  message<T>(type: MessageType<T>, depth: number): T {
    if (depth === 0) throw new DecodeError('too_deep', 'messages nest too deep');
    const out = type.create();
    if (!this.enter()) return out;
    // The table was checked against T, so the kind of a field fits the member of its name.
    const draft = out as Draft;
    do {
      const field = this.field(type);
      if (field === undefined) this.skip();
      else if (field.kind === 'bytes') draft[field.name] = this.embedded();
      else if (field.kind === 'payload') draft[field.name] = Payload.ofJson(this.embedded());
      else if (!this.null()) draft[field.name] = this.value(field, depth);
    } while (this.more());
    return out;
  }

  private value(field: NamedField, depth: number): unknown {
    switch (field.kind) {
      case 'u32':
        return this.unsigned(0xffff_ffff);
      case 'u64':
        return this.unsigned(MAX_U64);
      case 'i32':
        return this.signed(0x7fff_ffff);
      case 'i64':
      case 's64':
        return this.signed(MAX_I64);
      case 'bool':
        return this.boolean();
      case 'str':
        return this.string();
      case 'double':
        return this.double();
      case 'message':
        return this.message(field.type!, depth - 1);
      case 'strings':
      case 'messages':
        return this.list(field, depth);
      default:
        return this.map(field, depth);
    }
  }

  private list(field: NamedField, depth: number): unknown[] {
    if (this.token() !== OPEN_ARRAY) throw this.mismatch('an array');
    this.pos++;
    const out: unknown[] = [];
    if (this.token() === CLOSE_ARRAY) {
      this.pos++;
      return out;
    }
    for (;;) {
      this.countItem();
      out.push(field.type === null ? this.string() : this.message(field.type, depth - 1));
      const c = this.token();
      if (c !== COMMA && c !== CLOSE_ARRAY) throw this.unexpected();
      this.pos++;
      if (c === CLOSE_ARRAY) return out;
    }
  }

  private map(field: NamedField, depth: number): Map<string, unknown> {
    const out = new Map<string, unknown>();
    if (!this.enter()) return out;
    do {
      this.countItem();
      const key = this.string();
      this.colon();
      if (this.null()) continue;
      if (field.kind === 'stringMap') out.set(key, this.string());
      else if (field.kind === 'doubleMap') out.set(key, this.double());
      else out.set(key, this.message(field.type!, depth - 1));
    } while (this.more());
    return out;
  }

  /** Consumes `{`. True when a member follows, false when the object was empty and is consumed. */
  enter(): boolean {
    if (this.token() !== OPEN_OBJECT) throw this.mismatch('an object');
    this.pos++;
    const c = this.token();
    if (c === QUOTE) return true;
    if (c !== CLOSE_OBJECT) throw this.unexpected();
    this.pos++;
    return false;
  }

  /** After a member: consumes `,` and answers true, or consumes `}` and answers false. */
  more(): boolean {
    const c = this.token();
    if (c === COMMA) {
      this.pos++;
      if (this.token() !== QUOTE) throw this.unexpected();
      return true;
    }
    if (c !== CLOSE_OBJECT) throw this.unexpected();
    this.pos++;
    return false;
  }

  /** Consumes a member name and its colon; answers the field of that name, if the message has one. */
  field<T>(type: MessageType<T>): NamedField | undefined {
    const { bytes, end } = this;
    const { steps, fields } = type.keys;
    let state = TRIE_ROOT;
    let i = this.pos + 1;
    for (; i < end; i++) {
      const c = bytes[i]!;
      const step = c < 0x80 ? steps[(state << 7) | c]! : 0;
      if (step === 0) break;
      state = step;
    }
    let field: NamedField | undefined;
    if (i < end && bytes[i] === QUOTE) {
      this.pos = i + 1;
      field = fields[state];
    } else field = this.unusualField(type);
    this.colon();
    return field;
  }

  /** The field of a name with escapes; undefined for an unknown name. */
  private unusualField<T>(type: MessageType<T>): NamedField | undefined {
    const start = this.pos;
    if (!this.skipString()) throw this.error();
    return this.escaped ? type.keys.find(unquote(this.bytes, start, this.pos)) : undefined;
  }

  private colon(): void {
    if (this.token() !== COLON) throw this.unexpected();
    this.pos++;
  }

  /** Consumes a `null`, if it is next. */
  null(): boolean {
    if (this.token() !== LOWER_N) return false;
    this.skip();
    return true;
  }

  /** Skips a value of any kind. */
  skip(): void {
    if (!this.skipValue(this.limits.payloadDepth)) throw this.error();
  }

  string(): string {
    if (this.token() !== QUOTE) throw this.mismatch('a string');
    const start = this.pos;
    if (!this.skipString()) throw this.error();
    if (this.escaped) return unquoteText(this.bytes, start, this.pos);
    return this.nonAscii
      ? utf8Text(this.bytes, start + 1, this.pos - 1)
      : asciiText(this.bytes, start + 1, this.pos - 1);
  }

  /** A copy of the next value's text, without line breaks between its tokens. */
  embedded(): Uint8Array {
    this.token();
    const start = this.pos;
    this.breaks = 0;
    if (!this.skipValue(this.limits.payloadDepth)) throw this.error();
    return this.breaks === 0
      ? this.arena.copy(this.bytes, start, this.pos)
      : withoutBreaks(this.bytes, start, this.pos);
  }

  private boolean(): boolean {
    const c = this.token();
    if (c !== 0x74 && c !== 0x66) throw this.mismatch('true or false');
    this.skip();
    return c === 0x74;
  }

  private double(): number {
    const c = this.token();
    if (c !== MINUS && !(c >= ZERO && c <= NINE)) throw this.mismatch('a number');
    const start = this.pos;
    if (!this.skipNumber()) throw this.error();
    const value = Number(asciiText(this.bytes, start, this.pos));
    if (!Number.isFinite(value)) throw new DecodeError('type_mismatch', 'number out of range');
    return value;
  }

  private signed(max: number): number {
    if (this.token() !== MINUS) return this.unsigned(max);
    this.pos++;
    // Two's complement has one more negative number; above 2^53 a double cannot express the difference.
    return 0 - this.unsigned(max === 0x7fff_ffff ? 0x8000_0000 : max);
  }

  /** Reads an integer from 0 to `max`; above 2^53 the nearest double. */
  unsigned(max: number): number {
    const { bytes, end } = this;
    this.token();
    const start = this.pos;
    let i = start;
    let value = 0;
    while (i < end) {
      const digit = bytes[i]! - ZERO;
      if (digit < 0 || digit > 9) break;
      // 32-bit arithmetic while the number fits; longer numbers are read again.
      value = (Math.imul(value, 10) + digit) | 0;
      i++;
    }
    const size = i - start;
    if (size === 0) throw this.mismatch('a whole number');
    if (size > 1 && bytes[start] === ZERO) throw new DecodeError('malformed', 'number with leading zero');
    if (i < end && (bytes[i] === DOT || (bytes[i]! | 0x20) === 0x65)) throw this.mismatch('a whole number');
    this.pos = i;
    if (size > 9) value = exact(asciiText(bytes, start, i), max);
    if (value > max) throw new DecodeError('type_mismatch', 'number out of range');
    return value;
  }

  private countItem(): void {
    if (++this.items > this.limits.items) throw new DecodeError('too_many', 'too many items in one message');
  }

  /** The error of the last failed scan. */
  error(): DecodeError {
    return new DecodeError(this.failure, FAILURE_MESSAGE[this.failure]);
  }

  /** The error of unexpected punctuation. */
  unexpected(): DecodeError {
    this.failure = this.pos < this.end ? 'malformed' : 'truncated';
    return this.error();
  }

  /** The error of a value of another type, or of no value. */
  mismatch(wanted: string): DecodeError {
    return this.skipValue(this.limits.payloadDepth)
      ? new DecodeError('type_mismatch', `expected ${wanted}`)
      : this.error();
  }
}

/** One above the largest value: the nearest double. Digit strings that long are compared exactly. */
const MAX_U64 = 2 ** 64;
const MAX_I64 = 2 ** 63;

/** Value of a digit string; long ones are compared exactly, as doubles near 2^63 and 2^64 are 2048 apart. */
function exact(digits: string, max: number): number {
  if (digits.length < 16) return Number(digits);
  if (digits.length > 20) return Number.POSITIVE_INFINITY;
  const value = BigInt(digits);
  const limit =
    max === MAX_U64 ? 0xffff_ffff_ffff_ffffn : max === MAX_I64 ? 0x7fff_ffff_ffff_ffffn : BigInt(max);
  return value > limit ? Number.POSITIVE_INFINITY : Number(value);
}

const FAILURE_MESSAGE = {
  malformed: 'not valid JSON',
  truncated: 'JSON ends early',
  too_deep: 'JSON nests too deep',
} as const;
