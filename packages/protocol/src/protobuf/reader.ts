import type { PayloadMemory } from '../bytes/arena.ts';
import { asciiText, utf8Text } from '../bytes/text.ts';
import { isUtf8Range } from '../bytes/utf8.ts';
import { DecodeError } from '../decode-error.ts';
import type { DecodeLimits } from '../limits.ts';
import { Payload } from '../payload/payload.ts';
import { type NamedField, WireType } from '../schema/field.ts';
import type { Draft, MessageType } from '../schema/message-type.ts';

const TWO_32 = 4_294_967_296;

/** Reads proto3 messages by their tables. Throws {@link DecodeError}. */
export class ProtobufReader {
  bytes: Uint8Array;
  pos: number;
  end: number;
  private readonly limits: DecodeLimits;
  private readonly arena: PayloadMemory;
  private items: number;
  /** High half of the last varint read by {@link varint}. */
  private high: number;

  /** `arena` gives the memory of payloads. */
  constructor(bytes: Uint8Array, pos: number, end: number, limits: DecodeLimits, arena: PayloadMemory) {
    this.bytes = bytes;
    this.pos = pos;
    this.end = end;
    this.limits = limits;
    this.arena = arena;
    this.items = 0;
    this.high = 0;
  }

  /** Reads everything up to `end` as one message: the budget of items starts anew. */
  root<T>(type: MessageType<T>): T {
    this.resetItems();
    return this.message(type, type.create(), this.end, this.limits.depth);
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

  /** Reads fields up to `end` into `out`. Unknown fields are skipped; a message that repeats is merged. */
  message<T>(type: MessageType<T>, out: T, end: number, depth: number): T {
    if (depth === 0) throw new DecodeError('too_deep', 'messages nest too deep');
    // The table was checked against T, so the kind of a field fits the member of its name.
    const draft = out as Draft;
    while (this.pos < end) {
      const tag = this.tag(end);
      const field = type.byNumber(tag >>> 3);
      if (field === undefined) this.skip(tag, end, depth);
      else {
        if (field.tag !== tag) throw new DecodeError('malformed', 'field with the wrong wire type');
        draft[field.name] = this.value(field, draft, end, depth);
      }
    }
    return out;
  }

  /** The member's value after reading one occurrence of its field. */
  private value(field: NamedField, draft: Draft, end: number, depth: number): unknown {
    switch (field.kind) {
      case 'u32':
        return this.varint(end) >>> 0;
      case 'i32':
        return this.varint(end) | 0;
      case 'u64':
        return (this.varint(end) >>> 0) + (this.high >>> 0) * TWO_32;
      case 'i64':
        return signed(this.varint(end), this.high);
      case 's64':
        return zigzag(this.varint(end), this.high);
      case 'bool':
        return (this.varint(end) | this.high) !== 0;
      case 'str':
        return this.string(end);
      case 'bytes':
        return this.copy(end);
      case 'payload':
        return new Payload(this.copy(end));
      case 'double':
        return this.double(end);
      case 'message': {
        const type = field.type!;
        return this.nested(type, draft[field.name] ?? type.create(), end, depth);
      }
      case 'strings':
      case 'messages':
        return this.withItem(field, draft[field.name] as unknown[], end, depth);
      default:
        return this.withEntry(field, draft[field.name] as Map<string, unknown>, end, depth);
    }
  }

  /** Reads a length and a message of that length. */
  nested<T>(type: MessageType<T>, out: T, end: number, depth: number): T {
    const size = this.length(end);
    return this.message(type, out, this.pos + size, depth - 1);
  }

  private withItem(field: NamedField, before: unknown[], end: number, depth: number): unknown[] {
    this.countItem();
    // A non-empty list was made here; the shared empty list must not change.
    const list = before.length === 0 ? [] : before;
    list.push(
      field.type === null ? this.string(end) : this.nested(field.type, field.type.create(), end, depth),
    );
    return list;
  }

  private withEntry(
    field: NamedField,
    before: Map<string, unknown>,
    end: number,
    depth: number,
  ): Map<string, unknown> {
    this.countItem();
    const map = before.size === 0 ? new Map<string, unknown>() : before;
    const size = this.length(end);
    const entryEnd = this.pos + size;
    const valueTag = field.kind === 'doubleMap' ? DOUBLE_VALUE_TAG : VALUE_TAG;
    let key = '';
    let value: unknown = field.kind === 'stringMap' ? '' : field.kind === 'doubleMap' ? 0 : null;
    while (this.pos < entryEnd) {
      const tag = this.tag(entryEnd);
      if (tag === KEY_TAG) key = this.string(entryEnd);
      else if (tag === valueTag) value = this.entryValue(field, value, entryEnd, depth);
      else if (tag >>> 3 <= 2) throw new DecodeError('malformed', 'map entry with the wrong wire type');
      else this.skip(tag, entryEnd, depth);
    }
    map.set(key, value ?? field.type?.create());
    return map;
  }

  private entryValue(field: NamedField, before: unknown, end: number, depth: number): unknown {
    if (field.kind === 'stringMap') return this.string(end);
    if (field.kind === 'doubleMap') return this.double(end);
    const type = field.type!;
    return this.nested(type, before ?? type.create(), end, depth);
  }

  /** Reads a field's tag. */
  tag(end: number): number {
    const tag = this.varint(end);
    if (this.high !== 0 || tag >>> 3 === 0) throw new DecodeError('malformed', 'not a field number');
    return tag >>> 0;
  }

  /** Reads the length of a value that must end before `end`. */
  length(end: number): number {
    const size = this.varint(end) >>> 0;
    if (this.high !== 0 || size > end - this.pos) {
      throw new DecodeError('truncated', 'length goes beyond the end');
    }
    return size;
  }

  /** Low half of a varint of at most 64 bits; the high half is kept for the caller. */
  varint(end: number): number {
    const { bytes } = this;
    let { pos } = this;
    if (pos >= end) throw new DecodeError('truncated', 'message ends early');
    let byte = bytes[pos++]!;
    let low = byte & 0x7f;
    this.high = 0;
    if (byte < 0x80) {
      this.pos = pos;
      return low;
    }
    let high = 0;
    let shift = 7;
    do {
      if (pos >= end) throw new DecodeError('truncated', 'message ends early');
      byte = bytes[pos++]!;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else if (shift > 63 || byte > 1) throw new DecodeError('malformed', 'varint of more than 64 bits');
      else high |= bits << 31;
      shift += 7;
    } while (byte >= 0x80);
    this.pos = pos;
    this.high = high;
    return low;
  }

  string(end: number): string {
    const size = this.length(end);
    const start = this.pos;
    const stop = start + size;
    this.pos = stop;
    const { bytes } = this;
    let i = start;
    while (i < stop && bytes[i]! < 0x80) i++;
    if (i === stop) return asciiText(bytes, start, stop);
    if (!isUtf8Range(bytes, i, stop)) throw new DecodeError('malformed', 'string is not UTF-8');
    return utf8Text(bytes, start, stop);
  }

  private copy(end: number): Uint8Array {
    const size = this.length(end);
    const start = this.pos;
    this.pos = start + size;
    return this.arena.copy(this.bytes, start, this.pos);
  }

  private double(end: number): number {
    if (end - this.pos < 8) throw new DecodeError('truncated', 'message ends early');
    const value = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.pos, 8).getFloat64(0, true);
    this.pos += 8;
    return value;
  }

  /** Skips the value of an unknown field. Groups may nest `depth` deep. */
  skip(tag: number, end: number, depth: number): void {
    switch (tag & 7) {
      case WireType.varint:
        this.varint(end);
        break;
      case WireType.fixed64:
        this.advance(8, end);
        break;
      case WireType.delimited: {
        const size = this.length(end);
        this.pos += size;
        break;
      }
      case WireType.startGroup:
        this.skipGroup(tag, end, depth);
        break;
      case WireType.fixed32:
        this.advance(4, end);
        break;
      default:
        throw new DecodeError('malformed', 'unknown wire type');
    }
  }

  private skipGroup(startTag: number, end: number, depth: number): void {
    if (depth === 0) throw new DecodeError('too_deep', 'groups nest too deep');
    const endTag = startTag + 1;
    for (;;) {
      const tag = this.tag(end);
      if (tag === endTag) return;
      this.skip(tag, end, depth - 1);
    }
  }

  private advance(size: number, end: number): void {
    if (end - this.pos < size) throw new DecodeError('truncated', 'message ends early');
    this.pos += size;
  }

  private countItem(): void {
    if (++this.items > this.limits.items) throw new DecodeError('too_many', 'too many items in one message');
  }
}

const KEY_TAG = (1 << 3) | WireType.delimited;
const VALUE_TAG = (2 << 3) | WireType.delimited;
const DOUBLE_VALUE_TAG = (2 << 3) | WireType.fixed64;

/** Two's complement; beyond ±2^53 the nearest double. */
function signed(low: number, high: number): number {
  return (low >>> 0) + (high | 0) * TWO_32;
}

/** sint64: magnitude and sign interleaved. */
function zigzag(low: number, high: number): number {
  const half = (((high << 31) | (low >>> 1)) >>> 0) + (high >>> 1) * TWO_32;
  return (low & 1) === 0 ? half : -half - 1;
}
