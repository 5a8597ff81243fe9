import { Arena } from '../bytes/arena.ts';
import type { Encoding } from '../codec.ts';
import { readReply as readJsonReply } from '../json/frame-reader.ts';
import { JsonReader } from '../json/reader.ts';
import { type DecodeLimits, REPLY_DECODE_LIMITS } from '../limits.ts';
import type { Reply } from '../messages/reply.ts';
import { readReply as readProtobufReply } from '../protobuf/frame-reader.ts';
import { ProtobufReader } from '../protobuf/reader.ts';
import { MessageStream } from './message-stream.ts';

const NO_BYTES = new Uint8Array(0);

/** Decodes replies from a byte stream, such as HTTP streaming (client protocol 2.4, 4.2). */
export class ReplyStream extends MessageStream<Reply> {
  readonly #json: JsonReader | null;
  readonly #protobuf: ProtobufReader | null;

  constructor(encoding: Encoding, limits: DecodeLimits = REPLY_DECODE_LIMITS) {
    super(encoding, limits);
    const arena = Arena.forPayloads();
    const isJson = encoding === 'json';
    this.#json = isJson ? new JsonReader(NO_BYTES, 0, 0, false, limits, arena) : null;
    this.#protobuf = isJson ? null : new ProtobufReader(NO_BYTES, 0, 0, limits, arena);
  }

  protected override decode(bytes: Uint8Array, start: number, end: number): Reply {
    if (this.#json !== null) return readJsonReply(this.#json.over(bytes, start, end));
    return readProtobufReply(this.#protobuf!.over(bytes, start, end), end);
  }
}
