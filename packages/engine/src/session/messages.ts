import { ErrorCode, type Init, type Push, type Reply } from '@msg/protocol';
import { Batch } from '../delivery/batch.ts';
import { ReplyError } from '../errors.ts';
import type { EncodedStreams } from '../replies/encoded-streams.ts';
import type { PublicationList } from '../replies/publication-list.ts';
import { SharedReply } from '../replies/shared-reply.ts';
import type { Framing } from '../transports/contract.ts';

/** A push of one connection alone, encoded. @throws EncodeError */
export function pushMessage(framing: Framing, push: Init<Push>): Batch {
  return new Batch(framing, framing.codec.encodePush(push));
}

/** A ping of the protocol's own kind. */
export function pingMessage(framing: Framing): Batch {
  return new Batch(framing, framing.codec.ping);
}

/**
 * A reply, encoded. `lists`: the publications in it, where there are any; those that connections share are encoded as
 * they are written.
 * @throws EncodeError
 * @throws ReplyError 111 as {@link requireReplyRoom} does
 */
export function replyMessage(
  framing: Framing,
  reply: Init<Reply>,
  lists: readonly PublicationList[],
  encodedStreams: EncodedStreams,
): Batch | SharedReply {
  const shared = lists.length === 0 ? lists : lists.filter(list => list.isShared);
  if (shared.length === 0) return new Batch(framing, framing.codec.encodeReply(reply));
  requireReplyRoom(encodedStreams);
  return SharedReply.encode(framing, reply, shared, encodedStreams);
}

/** @throws ReplyError 111, which clients retry, while long replies on their way take all memory they may have. */
export function requireReplyRoom(encodedStreams: EncodedStreams): void {
  if (encodedStreams.hasRoom) return;
  throw new ReplyError(ErrorCode.TooManyRequests, 'too many requests', true);
}
