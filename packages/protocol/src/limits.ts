/** Limits of one decoded message. They apply to every decoder, on servers and clients. */
export interface DecodeLimits {
  /** Bytes of one message on a stream (without newline or length prefix). Frames are bounded by their transport. */
  readonly messageBytes: number;
  /** Messages nested in messages. */
  readonly depth: number;
  /** Nesting of brackets inside one embedded JSON value. */
  readonly payloadDepth: number;
  /** Map entries and list elements in one message, those of nested messages included. */
  readonly items: number;
}

/** Nesting of brackets up to which a payload counts as JSON. */
export const PAYLOAD_DEPTH = 512;

/** Limits of commands, which a server decodes (client protocol 20). */
export const COMMAND_DECODE_LIMITS: DecodeLimits = {
  messageBytes: 65_536,
  depth: 64,
  payloadDepth: PAYLOAD_DEPTH,
  items: 4_096,
};

/** Limits of replies, which a client decodes: larger, because histories can be long. */
export const REPLY_DECODE_LIMITS: DecodeLimits = {
  messageBytes: 16_777_216,
  depth: 64,
  payloadDepth: PAYLOAD_DEPTH,
  items: 1_048_576,
};
