import { type MsgCode, MsgError } from '@msg/core';
import { type AppendRefusal, AppendRefused } from '@msg/engine';
import { brokerFailed } from '../publishing/broker-failure.ts';

/** The code of each refusal of the engine (append streams 5.1). */
const CODES: Readonly<Record<AppendRefusal, MsgCode>> = {
  not_found: 'MSG_APPEND_NOT_FOUND',
  gap: 'MSG_APPEND_GAP',
  busy: 'MSG_APPEND_BUSY',
  fenced: 'MSG_APPEND_FENCED',
  closed: 'MSG_APPEND_CLOSED',
  too_large: 'MSG_APPEND_TOO_LARGE',
  invalid: 'MSG_INVALID_ARGUMENT',
  limited: 'MSG_RATE_LIMITED',
};

const failed = brokerFailed(
  'the broker did not tell whether it was applied; the same request may be repeated',
);

/** Throws the coded error of a request that the engine refused, or of a broker that failed. */
export function appendFailed(cause: unknown): never {
  if (!(cause instanceof AppendRefused)) return failed(cause);
  throw new MsgError(CODES[cause.kind], cause.message, { meta: cause.meta, cause });
}
