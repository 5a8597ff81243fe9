import type { PublicationList } from '../codec.ts';
import { EncodeError } from '../encode-error.ts';
import { OmittedLists } from '../omitted-lists.ts';
import { Payload } from '../payload/payload.ts';
import type { NamedField } from '../schema/field.ts';
import type { Members, MessageType } from '../schema/message-type.ts';
import { checkRange } from '../schema/range.ts';
import { isZero } from '../schema/zero.ts';
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT } from './text/characters.ts';
import { JsonTextWriter } from './text-writer.ts';

/** Writes messages as JSON text by their tables. Throws {@link EncodeError}. */
export class JsonWriter extends JsonTextWriter {
  /** Omitted lists and their places in the text. */
  #leftOut: OmittedLists | null;
  readonly #refusesBinary: boolean;

  /** @param binary whether binary payloads are written as base64 or refused */
  constructor(binary: 'base64' | 'refuse-binary' = 'base64') {
    super();
    this.#refusesBinary = binary === 'refuse-binary';
    this.#leftOut = null;
  }

  /** Starts a new text; also required after an error. */
  override begin(): void {
    super.begin();
    this.#leftOut = null;
  }

  /** Starts a new text without the elements of some lists. */
  beginAround(lists: ReadonlyMap<PublicationList, number>): void {
    super.begin();
    this.#leftOut = new OmittedLists(lists);
  }

  /**
   * The text in pieces, with the omitted lists between them. The pieces have their own memory, because they may wait
   * long.
   */
  finishAround(): (Uint8Array | PublicationList)[] {
    const parts: (Uint8Array | PublicationList)[] = [];
    let from = 0;
    for (const { at, list } of this.#leftOut?.places ?? []) {
      parts.push(this.piece(from, at), list);
      from = at;
    }
    parts.push(this.piece(from, this.size));
    return parts;
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
        this.word(value === true ? 'true' : 'false');
        break;
      case 'str':
        this.string(value as string);
        break;
      case 'bytes':
      case 'payload':
        this.embed(Payload.of(value as Uint8Array | Payload));
        break;
      case 'double':
        this.double(value as number);
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
    if (this.#leftOut?.take(values, this.size) === undefined) this.#elements(field, values);
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
      else if (field.kind === 'doubleMap') this.double(value as number);
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
}
