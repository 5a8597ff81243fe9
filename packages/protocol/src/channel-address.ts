import { utf8Bytes } from './bytes/utf8.ts';
import { varintLength, writeVarint } from './bytes/varint.ts';
import { quote } from './json/text/quote.ts';

/**
 * The channel of a push, by name or by the numeric id that a connection knows (client protocol 14). It caches the form in
 * both encodings: keep one per channel and kind instead of making one per push.
 */
export class ChannelAddress {
  /** Empty when addressed by id. */
  readonly channel: string;
  /** 0 when addressed by name. */
  readonly id: number;
  #json: Uint8Array | null;
  #protobuf: Uint8Array | null;

  private constructor(channel: string, id: number) {
    this.channel = channel;
    this.id = id;
    this.#json = null;
    this.#protobuf = null;
  }

  /** Addresses a channel by name. */
  static byName(channel: string): ChannelAddress {
    return new ChannelAddress(channel, 0);
  }

  /** Addresses a channel by numeric id, from 1. */
  static byId(id: number): ChannelAddress {
    if (!Number.isSafeInteger(id) || id < 1) throw new RangeError('channel ids start at 1');
    return new ChannelAddress('', id);
  }

  /** `{"push":{"channel":"name",` or `{"push":{"id":7,` */
  get json(): Uint8Array {
    this.#json ??= this.#toJson();
    return this.#json;
  }

  /** The channel or id field of a Protobuf push, with its tag. */
  get protobuf(): Uint8Array {
    this.#protobuf ??= this.#toProtobuf();
    return this.#protobuf;
  }

  #toJson(): Uint8Array {
    if (this.id > 0) return utf8Bytes(`{"push":{"id":${this.id},`);
    const name = quote(utf8Bytes(this.channel));
    const head = utf8Bytes('{"push":{"channel":');
    const out = new Uint8Array(head.length + name.length + 1);
    out.set(head);
    out.set(name, head.length);
    out[out.length - 1] = 0x2c;
    return out;
  }

  #toProtobuf(): Uint8Array {
    if (this.id > 0) {
      const out = new Uint8Array(1 + varintLength(this.id));
      out[0] = 0x08;
      writeVarint(this.id, out, 1);
      return out;
    }
    const name = utf8Bytes(this.channel);
    const out = new Uint8Array(1 + varintLength(name.length) + name.length);
    out[0] = 0x12;
    out.set(name, writeVarint(name.length, out, 1));
    return out;
  }
}
