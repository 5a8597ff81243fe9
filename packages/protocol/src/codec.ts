import type { ChannelAddress } from './channel-address.ts';
import type { ClientInfo } from './messages/client-info.ts';
import type { Command, CommandEnvelope } from './messages/command.ts';
import type { EmulationRequest } from './messages/emulation.ts';
import type { Publication } from './messages/publication.ts';
import type { Push } from './messages/push.ts';
import type { Reply } from './messages/reply.ts';
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

/** The list of publications in a reply: the result of a history command, or the recovered publications of a subscribe. */
export type PublicationListKind = 'history' | 'recovery';

/** A list of publications as a reply holds it. */
export type PublicationList = readonly Init<Publication>[];

/** Reads the commands of one complete frame or body, one at a time. */
export interface CommandReader {
  /**
   * Decodes the next command; null at the end. A later command may be undecodable, so run each one before reading the
   * next (client protocol 2.3).
   *
   * @throws DecodeError for undecodable input, and on the first call for a frame without a command.
   */
  next(): Command | null;
}

/** Reads the replies of one complete frame, one at a time. */
export interface ReplyReader {
  /**
   * Decodes the next reply; null at the end.
   *
   * @throws DecodeError for undecodable input, and on the first call for a frame without a reply.
   */
  next(): Reply | null;
}

/** Framing of both sides. A *message* is JSON text without newline, or Protobuf with its length prefix. */
export interface Framing {
  readonly encoding: Encoding;
  /** Joins messages into one frame or body: JSON with newlines between them, Protobuf end to end. */
  join(messages: readonly Uint8Array[]): Uint8Array;
}

/** The server's side of one encoding. */
export interface ServerCodec extends Framing {
  /** The ping: an empty reply. */
  readonly ping: Uint8Array;

  /** Reads a complete frame or body. The frame is not changed, and may be reused after it was read. */
  commands(frame: Uint8Array): CommandReader;

  /**
   * For a JSON connection, a payload that is not UTF-8 becomes base64.
   *
   * @throws EncodeError when a number cannot be expressed.
   */
  encodeReply(reply: Init<Reply>): Uint8Array;

  /**
   * One publication as an element of a list in a reply, with its separator. Consecutive elements form the inside of the
   * list, without the last {@link separatorBytes}.
   *
   * @throws EncodeError as {@link encodeReply}.
   */
  encodeElement(kind: PublicationListKind, publication: Init<Publication>): Uint8Array;

  /** Length of the separator at the end of an element. */
  readonly separatorBytes: number;

  /**
   * A reply whose long lists are encoded elsewhere: `lists` has each list with the size of its elements in bytes. The
   * returned parts in order are the message: bytes, and each list in the place of its elements.
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
   * A publication push. Members of storage (`time`, `prevData`) and the stored `delta` permission are not sent.
   *
   * @param patch the patch, for form `delta-patch`: for JSON it must be UTF-8.
   * @throws EncodeError as {@link encodeReply}.
   */
  encodePublication(
    target: ChannelAddress,
    publication: Init<Publication>,
    form: DeliveryForm,
    patch?: Uint8Array,
  ): Uint8Array;

  /** @throws EncodeError as {@link encodeReply}. */
  encodeJoin(target: ChannelAddress, info: Init<ClientInfo>): Uint8Array;

  /** @throws EncodeError as {@link encodeReply}. */
  encodeLeave(target: ChannelAddress, info: Init<ClientInfo>): Uint8Array;

  /**
   * Reads the body of the emulation endpoint (client protocol 4.4).
   *
   * @throws DecodeError
   */
  decodeEmulation(body: Uint8Array): EmulationRequest;

  /**
   * The frame of commands that `data` of an emulation request holds for a connection of this encoding, whatever the
   * encoding of the request's body.
   *
   * @throws DecodeError for a JSON connection without a JSON string.
   */
  emulationFrame(data: Uint8Array | null): Uint8Array;
}

/** The client's side of one encoding. */
export interface ClientCodec extends Framing {
  /** The pong: an empty command. */
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
