import { MsgError } from '@msg/core';
import { MalformedRequest, SlowRequest } from '@msg/core/internal';
import type { BodyDenial } from '@msg/engine';
import { NO_ROOM_RETRY_MS, READ_ELSEWHERE, TOO_MANY_CHUNKS } from '@msg/engine/internal';

/** The errors of bodies that are not read to their end. */
export const BODY_DENIALS: Readonly<Record<BodyDenial, () => Error>> = {
  too_large: () => new MalformedRequest('request body too large'),
  too_slow: () => new SlowRequest(),
  too_many_chunks: () => new MalformedRequest(TOO_MANY_CHUNKS),
  no_room: () =>
    new MsgError('MSG_BROKER_NOT_READY', 'the bodies of requests under way take all memory they may have', {
      retryAfterMs: NO_ROOM_RETRY_MS,
    }),
  read_elsewhere: () => new MsgError('MSG_INTERNAL', READ_ELSEWHERE),
};
