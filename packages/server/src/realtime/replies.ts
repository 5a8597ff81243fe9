import { CODE_TABLE, type CodeRow, type MsgError } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import { Disconnect, ReplyError } from '@msg/engine';
import type { AccessDecision } from '../auth/access/decision.ts';

/**
 * A coded error as an error reply: `<MSG code>: <text>` under the table's wire code (messaging details 10.2). The error is
 * its cause.
 */
export function replyError(error: MsgError): ReplyError {
  const row: CodeRow = CODE_TABLE[error.code];
  // Codes of the RPC alone do not occur here; one that does is an internal error.
  const wire = row.wire ?? CODE_TABLE.MSG_INTERNAL.wire;
  const reply = new ReplyError(wire, `${error.code}: ${error.message}`, row.retryable);
  reply.cause = error;
  return reply;
}

/**
 * The error reply to a subscribe whose channel is not open. After a temporary error every stock client retries with
 * backoff until the channel opens (messaging details 24.1).
 */
export function notOpenReply({ detail, temporary }: AccessDecision): ReplyError {
  // Clients repeat such a subscribe: it makes only one error object, because the stack is most of its cost.
  return new ReplyError(CODE_TABLE.MSG_CHANNEL_CLOSED.wire, `MSG_CHANNEL_CLOSED: ${detail}`, temporary);
}

/** The error that a policy hook throws for a failure: engine errors unchanged, any other as an error reply. */
export function asReply(error: unknown): ReplyError | Disconnect {
  if (error instanceof ReplyError || error instanceof Disconnect) return error;
  return replyError(toMsgError(error));
}
