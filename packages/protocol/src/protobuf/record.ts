import { Arena, IN_PLACE } from '../bytes/arena.ts';
import type { DecodeLimits } from '../limits.ts';
import type { Members, MessageType } from '../schema/message-type.ts';
import { ProtobufReader } from './reader.ts';
import { ProtobufWriter } from './writer.ts';

/** Protobuf messages of one kind of record, without length prefix, for stores and messages between nodes. */
export class RecordCodec {
  readonly #limits: DecodeLimits;
  readonly #arena: Arena = Arena.forPayloads();
  readonly #writer: ProtobufWriter = new ProtobufWriter();

  constructor(limits: DecodeLimits) {
    this.#limits = limits;
  }

  encode<T>(type: MessageType<T>, value: Members): Uint8Array {
    this.#writer.begin();
    this.#writer.message(type, value);
    const out = new Uint8Array(this.#writer.size);
    this.#writer.copyTo(out, 0);
    return out;
  }

  /** As {@link encode}, into the memory that `take` has for so many bytes. False: it has none. */
  encodeInto<T>(type: MessageType<T>, value: Members, take: (bytes: number) => Uint8Array | null): boolean {
    this.#writer.begin();
    this.#writer.message(type, value);
    const out = take(this.#writer.size);
    if (out !== null) this.#writer.copyTo(out, 0);
    return out !== null;
  }

  /** As {@link decode}; payloads are views of `bytes`. */
  decodeInPlace<T>(type: MessageType<T>, bytes: Uint8Array): T {
    return new ProtobufReader(bytes, 0, bytes.length, this.#limits, IN_PLACE).root(type);
  }

  /** Decodes `bytes[start, end)`. @throws DecodeError */
  decode<T>(type: MessageType<T>, bytes: Uint8Array, start: number = 0, end: number = bytes.length): T {
    return new ProtobufReader(bytes, start, end, this.#limits, this.#arena).root(type);
  }
}
