import { MsgError } from '@msg/core';

/** Whether trying again may help; errors without a code count as passing faults (messaging details 20). */
export function isRecoverable(error: unknown): boolean {
  return !(error instanceof MsgError) || error.retryable;
}
