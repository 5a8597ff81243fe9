import { CODE_TABLE, isMsgCode, type MsgCode } from '@msg/core';

/** What follows from an error of the service. */
export interface Reaction {
  readonly act: 'retry' | 'hold' | 'dead';
  /** The service says that nothing was published. */
  readonly isCertain: boolean;
}

const RETRY: Reaction = { act: 'retry', isCertain: true };
const UNCERTAIN: Reaction = { act: 'retry', isCertain: false };
const HOLD: Reaction = { act: 'hold', isCertain: true };
const DEAD: Reaction = { act: 'dead', isCertain: true };

/** All other codes are permanent. */
const REACTIONS: Partial<Record<MsgCode, Reaction>> = {
  MSG_BROKER_INTERNAL: UNCERTAIN,
  MSG_INTERNAL: UNCERTAIN,
  MSG_CHANNEL_NOT_FOUND: HOLD,
  MSG_CHANNEL_CLOSED: HOLD,
  MSG_AUTH_EXPIRED: RETRY,
  MSG_SINK_UNAVAILABLE: RETRY,
  MSG_SINK_DLQ_OVERFLOW: RETRY,
};

/** The reaction to the error of one item. */
export function reactionTo(code: string): Reaction {
  if (!isMsgCode(code)) return DEAD;
  return REACTIONS[code] ?? (CODE_TABLE[code].retryable ? RETRY : DEAD);
}

/** The reaction to the error of a whole request: the bearer's rights are those of the worker, not of the rows. */
export function reactionToRequest(code: string): Reaction {
  return code === 'MSG_AUTH_DENIED' ? RETRY : reactionTo(code);
}
