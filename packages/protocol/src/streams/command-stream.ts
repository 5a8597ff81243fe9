import { Arena } from '../bytes/arena.ts';
import type { Encoding } from '../codec.ts';
import { readCommand as readJsonCommand } from '../json/frame-reader.ts';
import { JsonReader } from '../json/reader.ts';
import { COMMAND_DECODE_LIMITS, type DecodeLimits } from '../limits.ts';
import type { Command } from '../messages/command.ts';
import { readCommand as readProtobufCommand } from '../protobuf/frame-reader.ts';
import { ProtobufReader } from '../protobuf/reader.ts';
import { MessageStream } from './message-stream.ts';

const NO_BYTES = new Uint8Array(0);

/** Decodes commands from a byte stream, such as WebTransport (client protocol 2.4, 4.5). */
export class CommandStream extends MessageStream<Command> {
  readonly #json: JsonReader | null;
  readonly #protobuf: ProtobufReader | null;

  constructor(encoding: Encoding, limits: DecodeLimits = COMMAND_DECODE_LIMITS) {
    super(encoding, limits);
    const arena = Arena.forPayloads();
    const isJson = encoding === 'json';
    this.#json = isJson ? new JsonReader(NO_BYTES, 0, 0, false, limits, arena) : null;
    this.#protobuf = isJson ? null : new ProtobufReader(NO_BYTES, 0, 0, limits, arena);
  }

  protected override decode(bytes: Uint8Array, start: number, end: number): Command {
    if (this.#json !== null) return readJsonCommand(this.#json.over(bytes, start, end));
    return readProtobufCommand(this.#protobuf!.over(bytes, start, end), end);
  }
}
