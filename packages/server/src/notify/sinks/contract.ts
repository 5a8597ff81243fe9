/** The message that a sink delivers. */
export interface SinkMessage {
  readonly subject: string;
  readonly body: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The context of one delivery. */
export interface SendContext {
  /** The channel without subscribers; empty when the delivery has no channel. */
  readonly channel?: string;
  /** Ends the delivery: aborts a running send or wait. */
  readonly signal?: AbortSignal;
  /** The trace for the destination (W3C Trace Context); absent when tracing is off. */
  readonly traceparent?: string;
}

/**
 * A destination outside the realtime channels. The service wraps every sink with retries, so `send` tries once: it
 * resolves when the destination has accepted the message. Otherwise it rejects with `transient(error)` when a later
 * attempt may succeed, with `terminal(error)` when it cannot. Other errors are classified as messaging details 12.2
 * describes.
 */
export interface Sink {
  /** Stable name, under which dead letters are stored: 1 to 128 printable characters. */
  readonly name: string;
  /** Sends one message. `recipient` is the caller's value, which the sink checks. */
  send(recipient: unknown, message: SinkMessage, context: SendContext): Promise<void>;
  /**
   * Converts a recipient that was stored as JSON to one for {@link Sink.send}. Without this method dead letters of the
   * sink cannot be replayed. Throws for a value that is not a recipient.
   */
  decodeRecipient?(stored: unknown): unknown;
  /**
   * Throws for a decoded recipient whose address {@link Sink.send} would refuse. Dead letters of a sink without this method
   * take every recipient that it decodes.
   */
  checkRecipient?(recipient: unknown): void;
  /** What listings and logs show of a recipient that holds secrets. Absent: they show all of it. */
  redactRecipient?(recipient: unknown): unknown;
  /** Base64url of the key with which pages subscribe to push messages; the manifest shows it. */
  readonly publicKey?: string;
}
