import { Arena } from '../bytes/arena.ts';
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
import type { Init, MessageType } from '../schema/message-type.ts';
import { ProtobufCommandReader, ProtobufReplyReader } from './frame-reader.ts';
import { encodeJoinPush, encodePublicationPush, PUSH_JOIN, PUSH_LEAVE } from './push-encoder.ts';
import { ProtobufReader } from './reader.ts';
import { ProtobufWriter } from './writer.ts';

/** One message of length 0. */
const EMPTY_MESSAGE = Uint8Array.of(0);
const REPLY_PUSH = (4 << 3) | 2;
/** Tags of the lists of publications. */
const ELEMENT_TAG: Readonly<Record<PublicationListKind, number>> = {
  history: (1 << 3) | 2,
  recovery: (7 << 3) | 2,
};

class ProtobufCodec implements Codec {
  readonly encoding = 'protobuf';
  readonly separatorBytes = 0;
  readonly ping: Uint8Array = EMPTY_MESSAGE;
  readonly pong: Uint8Array = EMPTY_MESSAGE;
  readonly #payloads: Arena = Arena.forPayloads();
  readonly #frames: Arena = Arena.forFrames();
  readonly #writer: ProtobufWriter = new ProtobufWriter();

  commands(frame: Uint8Array): CommandReader {
    return new ProtobufCommandReader(frame, COMMAND_DECODE_LIMITS, this.#payloads);
  }

  replies(frame: Uint8Array): ReplyReader {
    return new ProtobufReplyReader(frame, REPLY_DECODE_LIMITS, this.#payloads);
  }

  encodeCommand(command: Init<CommandEnvelope>): Uint8Array {
    return this.#encode(commandType, command);
  }

  encodeReply(reply: Init<Reply>): Uint8Array {
    return this.#encode(replyType, reply);
  }

  encodeElement(kind: PublicationListKind, publication: Init<Publication>): Uint8Array {
    const writer = this.#writer;
    writer.begin();
    writer.message(publicationType, publication);
    writer.varint(writer.size);
    writer.varint(ELEMENT_TAG[kind]);
    return writer.finish(this.#frames);
  }

  encodeReplyAround(
    reply: Init<Reply>,
    lists: ReadonlyMap<PublicationList, number>,
  ): (Uint8Array | PublicationList)[] {
    const writer = this.#writer;
    writer.beginAround(lists);
    writer.message(replyType, reply);
    writer.varint(writer.size);
    return writer.finishAround();
  }

  encodePush(push: Init<Push>): Uint8Array {
    const writer = this.#writer;
    writer.begin();
    writer.message(pushType, push);
    writer.varint(writer.size);
    writer.varint(REPLY_PUSH);
    writer.varint(writer.size);
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
    return encodeJoinPush(this.#writer, this.#frames, target, PUSH_JOIN, info);
  }

  encodeLeave(target: ChannelAddress, info: Init<ClientInfo>): Uint8Array {
    return encodeJoinPush(this.#writer, this.#frames, target, PUSH_LEAVE, info);
  }

  decodeEmulation(body: Uint8Array): EmulationRequest {
    if (body.length === 0) throw new DecodeError('empty', 'empty body');
    return new ProtobufReader(body, 0, body.length, COMMAND_DECODE_LIMITS, this.#payloads).root(
      emulationRequestType,
    );
  }

  emulationFrame(data: Uint8Array | null): Uint8Array {
    return data ?? new Uint8Array(0);
  }

  encodeEmulation(node: string, session: string, frame: Uint8Array): Uint8Array {
    const writer = this.#writer;
    writer.begin();
    writer.message(emulationRequestType, { node, session, data: frame });
    return writer.finish(this.#frames);
  }

  join(messages: readonly Uint8Array[]): Uint8Array {
    if (messages.length === 1) return messages[0]!;
    let size = 0;
    for (let i = 0; i < messages.length; i++) size += messages[i]!.length;
    const out = this.#frames.take(size);
    let at = 0;
    for (let i = 0; i < messages.length; i++) {
      out.set(messages[i]!, at);
      at += messages[i]!.length;
    }
    return out;
  }

  #encode<T>(type: MessageType<T>, value: Init<T>): Uint8Array {
    const writer = this.#writer;
    writer.begin();
    writer.message(type, value);
    writer.varint(writer.size);
    return writer.finish(this.#frames);
  }
}

/** The Protobuf encoding (client protocol 2.2). */
export const protobufCodec: Codec = new ProtobufCodec();
