import { Arena } from '../bytes/arena.ts';
import { utf8Bytes } from '../bytes/utf8.ts';
import type { ChannelAddress } from '../channel-address.ts';
import type {
  Codec,
  CommandReader,
  DeliveryForm,
  PublicationList,
  PublicationListKind,
  ReplyReader,
} from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import { COMMAND_DECODE_LIMITS, REPLY_DECODE_LIMITS } from '../limits.ts';
import type { ClientInfo } from '../messages/client-info.ts';
import { type CommandEnvelope, commandType } from '../messages/command.ts';
import { type EmulationRequest, emulationRequestType } from '../messages/emulation.ts';
import { type Publication, publicationType } from '../messages/publication.ts';
import { type Push, pushType } from '../messages/push.ts';
import { type Reply, replyType } from '../messages/reply.ts';
import { jsonString } from '../payload/payload.ts';
import type { Init, MessageType } from '../schema/message-type.ts';
import { JsonCommandReader, JsonReplyReader } from './frame-reader.ts';
import { encodeJoinPush, encodePublicationPush } from './push-encoder.ts';
import { JsonReader } from './reader.ts';
import { COMMA, LF, QUOTE } from './text/characters.ts';
import { unquote } from './text/quote.ts';
import { JsonScanner } from './text/scanner.ts';
import { JsonWriter } from './writer.ts';

const EMPTY_OBJECT = utf8Bytes('{}');
const PUSH_HEAD = utf8Bytes('{"push":');
const JOIN_HEAD = utf8Bytes('"join":{"info":');
const LEAVE_HEAD = utf8Bytes('"leave":{"info":');

class JsonCodec implements Codec {
  readonly encoding = 'json';
  readonly separatorBytes = 1;
  readonly ping: Uint8Array = EMPTY_OBJECT;
  readonly pong: Uint8Array = EMPTY_OBJECT;
  readonly #payloads: Arena = Arena.forPayloads();
  readonly #frames: Arena = Arena.forFrames();
  readonly #writer: JsonWriter = new JsonWriter();
  /** Refuses bytes that JSON cannot hold: as base64, the client would publish another payload. */
  readonly #commandWriter: JsonWriter = new JsonWriter('refuse-binary');

  commands(frame: Uint8Array): CommandReader {
    return new JsonCommandReader(frame, COMMAND_DECODE_LIMITS, this.#payloads);
  }

  replies(frame: Uint8Array): ReplyReader {
    return new JsonReplyReader(frame, REPLY_DECODE_LIMITS, this.#payloads);
  }

  encodeCommand(command: Init<CommandEnvelope>): Uint8Array {
    const writer = this.#commandWriter;
    writer.begin();
    writer.message(commandType, command);
    return writer.finish(this.#frames);
  }

  encodeReply(reply: Init<Reply>): Uint8Array {
    return this.#encode(replyType, reply);
  }

  encodeElement(_kind: PublicationListKind, publication: Init<Publication>): Uint8Array {
    const writer = this.#writer;
    writer.begin();
    writer.message(publicationType, publication);
    writer.byte(COMMA);
    return writer.finish(this.#frames);
  }

  encodeReplyAround(
    reply: Init<Reply>,
    lists: ReadonlyMap<PublicationList, number>,
  ): (Uint8Array | PublicationList)[] {
    const writer = this.#writer;
    writer.beginAround(lists);
    writer.message(replyType, reply);
    return writer.finishAround();
  }

  encodePush(push: Init<Push>): Uint8Array {
    const writer = this.#writer;
    writer.begin();
    writer.bytes(PUSH_HEAD);
    writer.message(pushType, push);
    writer.byte(0x7d);
    return writer.finish(this.#frames);
  }

  encodePublication(
    target: ChannelAddress,
    publication: Init<Publication>,
    form: DeliveryForm,
    patch?: Uint8Array,
  ): Uint8Array {
    return encodePublicationPush(this.#writer, this.#frames, target, publication, form, patch);
  }

  encodeJoin(target: ChannelAddress, info: Init<ClientInfo>): Uint8Array {
    return encodeJoinPush(this.#writer, this.#frames, target, JOIN_HEAD, info);
  }

  encodeLeave(target: ChannelAddress, info: Init<ClientInfo>): Uint8Array {
    return encodeJoinPush(this.#writer, this.#frames, target, LEAVE_HEAD, info);
  }

  decodeEmulation(body: Uint8Array): EmulationRequest {
    const reader = new JsonReader(body, 0, body.length, true, COMMAND_DECODE_LIMITS, this.#payloads);
    if (reader.token() === -1) throw new DecodeError('empty', 'empty body');
    return reader.root(emulationRequestType);
  }

  emulationFrame(data: Uint8Array | null): Uint8Array {
    if (data === null || data[0] !== QUOTE)
      throw new DecodeError('type_mismatch', 'expected a string of commands');
    const scanner = new JsonScanner(data, 0, data.length, true);
    if (!scanner.skipString() || scanner.pos !== data.length) {
      throw new DecodeError('malformed', 'expected a string of commands');
    }
    return unquote(data, 0, data.length);
  }

  encodeEmulation(node: string, session: string, frame: Uint8Array): Uint8Array {
    return this.#encode(emulationRequestType, { node, session, data: jsonString(frame) });
  }

  join(messages: readonly Uint8Array[]): Uint8Array {
    if (messages.length === 1) return messages[0]!;
    let size = messages.length - 1;
    for (let i = 0; i < messages.length; i++) size += messages[i]!.length;
    const out = this.#frames.take(Math.max(size, 0));
    let at = 0;
    for (let i = 0; i < messages.length; i++) {
      if (i > 0) out[at++] = LF;
      out.set(messages[i]!, at);
      at += messages[i]!.length;
    }
    return out;
  }

  #encode<T>(type: MessageType<T>, value: Init<T>): Uint8Array {
    const writer = this.#writer;
    writer.begin();
    writer.message(type, value);
    return writer.finish(this.#frames);
  }
}

/** The JSON encoding (client protocol 2.1). */
export const jsonCodec: Codec = new JsonCodec();
