/** What grows in a message: one text, or a list of JSON values whose last one may have an open string (append streams 3). */
export type AppendFormat = 'text' | 'items';

/** How a message ended. */
export type FinalStatus = 'complete' | 'cancelled' | 'failed';
/** Where a message is: it grows, or it has ended. */
export type AppendStatus = 'streaming' | FinalStatus;
