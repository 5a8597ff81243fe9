import type { ClientInfo } from './messages/client-info.ts';
import type { Command, CommandEnvelope } from './messages/command.ts';
import type { EmulationRequest } from './messages/emulation.ts';
import type { Publication } from './messages/publication.ts';
import type { Push } from './messages/push.ts';
import type { Reply } from './messages/reply.ts';
import type { PushTarget } from './push-target.ts';
import type { Init } from './schema/message-type.ts';

/** How messages become bytes. */
export type Encoding = 'json' | 'protobuf';

/**
 * How a publication reaches a subscriber (client protocol 12.2):
 * - `plain`: the payload itself.
 * - `delta-full`: the payload, in a subscription that negotiated deltas.
 * - `delta-patch`: a patch against the previous publication.
 */
export type DeliveryForm = 'plain' | 'delta-full' | 'delta-patch';

/** Where in a reply publications are listed: the result of a history command, or what a subscribe recovered. */
export type PublicationListKind = 'history' | 'recovery';

/** A list of publications as a reply holds it. */
export type PublicationList = readonly Init<Publication>[];

/** Takes the commands of one complete frame or body, one at a time. */
export interface CommandReader {
  /**
   * Decodes the next command, or answers null at the end. A later command may still be undecodable, so run each
   * one before asking for the next (client protocol 2.3).
   *
   * @throws DecodeError for anything undecodable, and on the first call when there is no command at all.
   */
  next(): Command | null;
}

/** Takes the replies of one complete frame, one at a time. */
export interface ReplyReader {
  /**
   * Decodes the next reply, or answers null at the end.
   *
   * @throws DecodeError for anything undecodable, and on the first call when there is no reply at all.
   */
  next(): Reply | null;
}

/** What both sides share. A *message* is JSON text without newline, or Protobuf with its length prefix. */
export interface Framing {
  readonly encoding: Encoding;
  /** Joins messages into one frame or body: JSON with newlines between them, Protobuf end to end. */
  join(messages: readonly Uint8Array[]): Uint8Array;
}

/** The server's side of one encoding. */
export interface ServerCodec extends Framing {
  /** The ping: a reply without anything. */
  readonly ping: Uint8Array;

  /** Reads a complete frame or body. The frame is not changed and may be used again once all is read. */
  commands(frame: Uint8Array): CommandReader;

  /**
   * A payload that is not UTF-8 is shown to a JSON connection as base64.
   *
   * @throws EncodeError when a number cannot be expressed.
   */
  encodeReply(reply: Init<Reply>): Uint8Array;

  /**
   * One publication as an element of a list in a reply, with what separates it from the next element. Elements that
   * follow each other form the inside of the list, once {@link separatorBytes} of the last one are taken away.
   *
   * @throws EncodeError as {@link encodeReply}.
   */
  encodeElement(kind: PublicationListKind, publication: Init<Publication>): Uint8Array;

  /** Bytes at the end of an element that only separate it from the next one. */
  readonly separatorBytes: number;

  /**
   * A reply whose long lists are encoded elsewhere: `lists` holds each with the size of its elements in bytes. The
   * parts in order are the message: bytes, and each list where its elements belong.
   *
   * @throws EncodeError as {@link encodeReply}.
   */
  encodeReplyAround(
    reply: Init<Reply>,
    lists: ReadonlyMap<PublicationList, number>,
  ): (Uint8Array | PublicationList)[];

  /** A push of any kind, as a reply. @throws EncodeError as {@link encodeReply}. */
  encodePush(push: Init<Push>): Uint8Array;

  /**
   * A publication push. Members that only storage knows (`time`, `prevData`) and the stored `delta` permission
   * are not sent.
   *
   * @param patch the patch, for form `delta-patch`: for JSON it must be UTF-8.
   * @throws EncodeError as {@link encodeReply}.
   */
  encodePublication(
    target: PushTarget,
    publication: Init<Publication>,
    form: DeliveryForm,
    patch?: Uint8Array,
  ): Uint8Array;

  /** @throws EncodeError as {@link encodeReply}. */
  encodeJoin(target: PushTarget, info: Init<ClientInfo>): Uint8Array;

  /** @throws EncodeError as {@link encodeReply}. */
  encodeLeave(target: PushTarget, info: Init<ClientInfo>): Uint8Array;

  /**
   * Reads the body of the emulation endpoint (client protocol 4.4).
   *
   * @throws DecodeError
   */
  decodeEmulation(body: Uint8Array): EmulationRequest;

  /**
   * The frame of commands that `data` of an emulation request holds for a connection of this encoding, whatever
   * the encoding of the request's body.
   *
   * @throws DecodeError when a JSON connection did not get a JSON string.
   */
  emulationFrame(data: Uint8Array | null): Uint8Array;
}

/** The client's side of one encoding. */
export interface ClientCodec extends Framing {
  /** The pong: a command without anything. */
  readonly pong: Uint8Array;

  /** @throws EncodeError for a number out of range, in JSON also for a payload that is not UTF-8. */
  encodeCommand(command: Init<CommandEnvelope>): Uint8Array;

  /** Reads a complete frame. */
  replies(frame: Uint8Array): ReplyReader;

  /** The body for the emulation endpoint; `frame` holds the commands. */
  encodeEmulation(node: string, session: string, frame: Uint8Array): Uint8Array;
}

/** Both sides of one encoding. */
export interface Codec extends ServerCodec, ClientCodec {}
