import { type MsgCode, MsgError } from '@msg/core';

const RECOVERABLE: ReadonlySet<MsgCode> = new Set<MsgCode>([
  'MSG_RATE_LIMITED',
  'MSG_BROKER_NOT_READY',
  'MSG_BROKER_INTERNAL',
  'MSG_INTERNAL',
]);

/** Whether trying again may help; errors without a code count as passing faults (messaging details 20). */
export function isRecoverable(error: unknown): boolean {
  return !(error instanceof MsgError) || RECOVERABLE.has(error.code);
}
