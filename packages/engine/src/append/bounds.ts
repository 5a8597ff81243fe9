// Bounds of append streams that every store keeps.

/** Bytes of a document that are kept free for its end (append streams 3). */
export const END_BYTES = 2048;
/** How long a cancel waits for the message that answers its input, milliseconds (append streams 6.2). */
export const EARLY_CANCEL_MS = 60_000;
/** How long a claim of a sink is pending before it may be claimed again, milliseconds (append streams 10.4). */
export const CLAIM_MS = 30_000;
/** Cancels of one channel that may wait for their messages. */
export const MAX_EARLY_CANCELS = 64;
/** How long a producer has to end a message that was cancelled, milliseconds (append streams 6.2). */
export const CANCEL_GRACE_MS = 5000;
