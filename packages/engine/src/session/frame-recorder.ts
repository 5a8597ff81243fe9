/**
 * Keeps copies of what passes between one connection and its client. It must not throw, and keeps no reference to bytes
 * that it is given. Source: console, section 7.3.
 */
export interface FrameRecorder {
  /** One frame or request body of commands. */
  received(frame: Uint8Array): void;
  /** One message, as the encoding of the connection has it, without framing. */
  sent(message: Uint8Array): void;
  /** A reply that is too long to be in one place. @param bytes its length */
  sentInPieces(bytes: number): void;
  /** The connection has ended with this disconnect. */
  ended(code: number, reason: string): void;
}
