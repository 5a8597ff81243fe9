import { MsgError } from '@msg/core';

/** Whether a retry may help; errors without a code count as temporary (messaging details 20). */
export function isRecoverable(error: unknown): boolean {
  return !(error instanceof MsgError) || error.retryable;
}
