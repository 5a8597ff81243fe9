/** What one decoded message may cost. Every decoder is bounded by these, for bytes of clients and of servers alike. */
export interface Limits {
  /** Bytes of one message on a stream (without newline or length prefix). Frames are bounded by their transport. */
  readonly messageBytes: number;
  /** Messages nested in messages. */
  readonly depth: number;
  /** Brackets open at once inside one embedded JSON value. */
  readonly payloadDepth: number;
  /** Map entries and list elements in one message, those of nested messages included. */
  readonly items: number;
}

/** Brackets a payload may nest and still count as JSON. */
export const PAYLOAD_DEPTH = 512;

/** For commands: what a server accepts from a client (client protocol 20). */
export const COMMAND_LIMITS: Limits = {
  messageBytes: 65_536,
  depth: 64,
  payloadDepth: PAYLOAD_DEPTH,
  items: 4_096,
};

/** For replies: a client trusts its server with more, histories can be long. */
export const REPLY_LIMITS: Limits = {
  messageBytes: 16_777_216,
  depth: 64,
  payloadDepth: PAYLOAD_DEPTH,
  items: 1_048_576,
};
