/** What a sink delivers. */
export interface SinkMessage {
  readonly subject: string;
  readonly body: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What goes with one delivery besides recipient and message. */
export interface SendContext {
  /** The channel without subscribers; empty when the delivery has no channel. */
  readonly channel?: string;
  /** Ends the delivery: a send under way is cut, a wait is not waited out. */
  readonly signal?: AbortSignal;
  /** How the destination continues the trace (W3C Trace Context); absent when tracing is off. */
  readonly traceparent?: string;
}

/**
 * A destination outside the realtime channels. The service puts every sink behind its retry wrapper, so a sink tries
 * once and reports: it resolves when the destination has taken the message, and rejects otherwise, with
 * `transient(error)` when a later attempt may succeed and `terminal(error)` when it cannot. Errors that say neither
 * are classified as messaging details 12.2 describes.
 */
export interface Sink {
  /** Stable; dead letters are kept under it. 1 to 128 printable characters. */
  readonly name: string;
  /** `recipient` is as the caller gave it: a sink checks it. */
  send(recipient: unknown, message: SinkMessage, context: SendContext): Promise<void>;
  /**
   * Turns a recipient that was stored as JSON back into one that {@link Sink.send} takes. A sink without it has dead
   * letters that cannot be replayed. Throws when the stored value is not a recipient.
   */
  decodeRecipient?(stored: unknown): unknown;
}
