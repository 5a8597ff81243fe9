import { MsgError } from '@msg/core';

/** A failed send that is marked transient or terminal. Dead letters show its text, which holds no secrets. */
export class SinkFailure extends MsgError {
  readonly transient: boolean;
  constructor(transient: boolean, ...details: ConstructorParameters<typeof MsgError>) {
    super(...details);
    this.transient = transient;
  }
}

function failure(transient: boolean, error: unknown, retryAfterMs?: number): SinkFailure {
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof MsgError ? error.code : 'MSG_SINK_UNAVAILABLE';
  return new SinkFailure(transient, code, text, { cause: error, retryAfterMs });
}

/**
 * Marks an error of an embedder's sink as transient: a retry may succeed. Text and code stay.
 * @param retryAfterMs the wait before the next attempt that the destination asks for
 */
export function transient(error: unknown, retryAfterMs?: number): SinkFailure {
  return failure(true, error, retryAfterMs);
}

/** Marks an error of an embedder's sink as terminal: a retry cannot succeed. Text and code stay. */
export function terminal(error: unknown): SinkFailure {
  return failure(false, error);
}

/**
 * The recipient is gone for good, and so is the message: nothing is parked, and the caller learns it. `text` names the
 * destination without secrets.
 */
export function recipientGone(text: string): SinkFailure {
  return new SinkFailure(false, 'MSG_SINK_RECIPIENT_GONE', text);
}

/** Whether an error is that of {@link recipientGone}. */
export function isRecipientGone(error: unknown): boolean {
  return error instanceof MsgError && error.code === 'MSG_SINK_RECIPIENT_GONE';
}
