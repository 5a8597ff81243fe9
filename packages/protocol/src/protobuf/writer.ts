import { type Arena, copyBytes } from '../bytes/arena.ts';
import { utf8Length, writeUtf8 } from '../bytes/utf8.ts';
import { varintLength, writeNegative, writeVarint } from '../bytes/varint.ts';
import type { PublicationList } from '../codec.ts';
import { OmittedLists } from '../omitted-lists.ts';
import { Payload } from '../payload/payload.ts';
import { type NamedField, WireType } from '../schema/field.ts';
import type { Kind } from '../schema/kind.ts';
import type { Members, MessageType } from '../schema/message-type.ts';
import { checkRange } from '../schema/range.ts';
import { isZero } from '../schema/zero.ts';

const INITIAL_BYTES = 4_096;
/** A larger buffer is released after use. */
const KEPT_BYTES = 262_144;

/**
 * Writes proto3 messages by their tables, from the last byte to the first, so that each length is known before its
 * prefix. It uses its own buffer, also for the next message.
 */
export class ProtobufWriter {
  #buffer: Uint8Array;
  /** Index of the first byte written; the message ends where the buffer ends. */
  #pos: number;
  /** Omitted lists, with the number of written bytes that follow each. */
  #leftOut: OmittedLists | null;
  #leftOutBytes: number;

  constructor() {
    this.#buffer = new Uint8Array(INITIAL_BYTES);
    this.#pos = INITIAL_BYTES;
    this.#leftOut = null;
    this.#leftOutBytes = 0;
  }

  /** Starts a new message; also required after an error. */
  begin(): void {
    this.#pos = this.#buffer.length;
    this.#leftOut = null;
    this.#leftOutBytes = 0;
  }

  /** Starts a new message without the elements of some lists, which count in all lengths. */
  beginAround(lists: ReadonlyMap<PublicationList, number>): void {
    this.begin();
    this.#leftOut = new OmittedLists(lists);
  }

  /** Bytes of the message so far, including those of omitted lists. */
  get size(): number {
    return this.#written + this.#leftOutBytes;
  }

  get #written(): number {
    return this.#buffer.length - this.#pos;
  }

  /** A copy of what was written, from the arena. */
  finish(arena: Arena): Uint8Array {
    const out = arena.take(this.#written);
    this.copyTo(out, 0);
    return out;
  }

  /**
   * The message in pieces, with the omitted lists between them. The pieces have their own memory, because they may wait
   * long.
   */
  finishAround(): (Uint8Array | PublicationList)[] {
    const parts: (Uint8Array | PublicationList)[] = [];
    let from = this.#pos;
    for (const { at, list } of [...(this.#leftOut?.places ?? [])].reverse()) {
      const to = this.#buffer.length - at;
      parts.push(this.#buffer.slice(from, to), list);
      from = to;
    }
    parts.push(this.#buffer.slice(from));
    return parts;
  }

  /** Copies what was written to `to[at…]`. */
  copyTo(to: Uint8Array, at: number): void {
    copyBytes(this.#buffer, this.#pos, this.#buffer.length, to, at);
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = new Uint8Array(INITIAL_BYTES);
  }

  /** Makes room for `size` bytes before the written ones and returns their index. */
  #claim(size: number): number {
    if (size > this.#pos) this.#grow(size);
    this.#pos -= size;
    return this.#pos;
  }

  #grow(size: number): void {
    const used = this.#written;
    const grown = new Uint8Array(Math.max(used + size, this.#buffer.length * 2));
    grown.set(this.#buffer.subarray(this.#pos), grown.length - used);
    this.#buffer = grown;
    this.#pos = grown.length - used;
  }

  /** The room comes first: a buffer that is named before it may be the one that was outgrown. */
  #byte(value: number): void {
    const at = this.#claim(1);
    this.#buffer[at] = value;
  }

  varint(value: number): void {
    const isByte = (value & 0x7f) === value;
    const at = this.#claim(isByte ? 1 : varintLength(value));
    if (isByte) this.#buffer[at] = value;
    else writeVarint(value, this.#buffer, at);
  }

  /** Writes bytes without a length. */
  bytes(bytes: Uint8Array): void {
    const at = this.#claim(bytes.length);
    copyBytes(bytes, 0, bytes.length, this.#buffer, at);
  }

  /** Writes the members that do not hold their zero value. */
  message<T>(type: MessageType<T>, value: Members): void {
    const { fields } = type;
    for (let i = fields.length - 1; i >= 0; i--) {
      const field = fields[i]!;
      const member = value[field.name];
      if (!isZero(field.kind, member)) this.field(field, member);
    }
  }

  /** Writes one field, tag included; the value must not be zero. */
  field(field: NamedField, value: unknown): void {
    // The tables determine the type of each member; `Init` checked it for the caller.
    switch (field.kind) {
      case 'strings':
      case 'messages': {
        const list = value as readonly unknown[];
        const leftOut = this.#leftOut?.take(list, this.#written);
        if (leftOut !== undefined) {
          this.#leftOutBytes += leftOut;
          return;
        }
        for (let i = list.length - 1; i >= 0; i--) {
          this.#delimited(field, list[i]);
          this.varint(field.tag);
        }
        return;
      }
      case 'stringMap':
      case 'messageMap':
      case 'doubleMap':
        this.#map(field, value as ReadonlyMap<string, unknown>);
        return;
      case 'bool':
        this.#byte(1);
        break;
      case 'double':
        this.#double(value as number);
        break;
      case 'str':
      case 'bytes':
      case 'payload':
      case 'message':
        this.#delimited(field, value);
        break;
      default:
        this.#integer(field.kind, value as number);
    }
    this.varint(field.tag);
  }

  /** Writes a string, bytes or a message with its length. */
  #delimited(field: NamedField, value: unknown): void {
    if (field.type !== null) {
      const before = this.size;
      this.message(field.type, value as Members);
      this.varint(this.size - before);
    } else if (typeof value === 'string') this.varint(this.string(value));
    else {
      const bytes = value instanceof Payload ? value.bytes : (value as Uint8Array);
      this.bytes(bytes);
      this.varint(bytes.length);
    }
  }

  /** Writes the UTF-8 form of a string without a length. Returns its bytes. */
  string(text: string): number {
    const size = utf8Length(text);
    const at = this.#claim(size);
    const to = this.#buffer;
    if (size === text.length) for (let i = 0; i < size; i++) to[at + i] = text.charCodeAt(i);
    else writeUtf8(text, to, at);
    return size;
  }

  #map(field: NamedField, entries: ReadonlyMap<string, unknown>): void {
    // Written back to front, so that the entries have the order of the map.
    for (const [key, value] of [...entries].reverse()) {
      const before = this.size;
      if (field.kind === 'doubleMap') {
        this.#double(value as number);
        this.varint((2 << 3) | WireType.fixed64);
      } else {
        const start = this.size;
        if (field.type === null) this.string(value as string);
        else this.message(field.type, value as Members);
        this.varint(this.size - start);
        this.varint((2 << 3) | WireType.delimited);
      }
      const start = this.size;
      this.string(key);
      this.varint(this.size - start);
      this.varint((1 << 3) | WireType.delimited);
      this.varint(this.size - before);
      this.varint(field.tag);
    }
  }

  #integer(kind: Kind, value: number): void {
    checkRange(kind, value);
    if (kind === 's64') this.#zigzag(value);
    else if (value >= 0) this.varint(value);
    else {
      const at = this.#claim(10);
      writeNegative(value, this.#buffer, at);
    }
  }

  /** sint64: 0, −1, 1, −2 … become 0, 1, 2, 3 …; doubled numbers may exceed 2^53 but stay exact. */
  #zigzag(value: number): void {
    if (value >= 0) this.varint(value * 2);
    else this.#oddVarint(-(value + 1));
  }

  /** Writes `2 × half + 1`, which a double cannot hold above 2^53. */
  #oddVarint(half: number): void {
    if (half < 2 ** 51) {
      this.varint(half * 2 + 1);
      return;
    }
    // 2 × half + 1 = 128 × (half / 64) + (2 × (half mod 64) + 1)
    this.varint(Math.floor(half / 64));
    this.#byte(((half % 64) * 2 + 1) | 0x80);
  }

  #double(value: number): void {
    const at = this.#claim(8);
    new DataView(this.#buffer.buffer, at, 8).setFloat64(0, value, true);
  }
}
