import type { AppendCancel } from './contract.ts';

/** Bytes of a reason that the store gives. */
const MAX_REASON_BYTES = 256;

/** The reason of a message that the store ends because its producer did not (append streams 6.2). */
export function cancelReason({ by }: AppendCancel): string {
  if (by === '') return 'cancelled';
  const reason = Buffer.from(`cancelled by ${by.toWellFormed()}`);
  if (reason.length <= MAX_REASON_BYTES) return reason.toString();
  // A character that is cut becomes U+FFFD, which has three bytes.
  return reason.subarray(0, MAX_REASON_BYTES - 3).toString();
}
