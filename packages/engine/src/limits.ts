/**
 * Limits and timers of one node. The defaults are those of client protocol 20; all times are milliseconds, all
 * sizes bytes.
 */
export interface Limits {
  /** Largest incoming message: one WebSocket message, one request body. */
  readonly messageBytes: number;
  /** Memory that the bodies of all open HTTP requests may hold, on all threads; beyond: 503. */
  readonly bodyBytes: number;
  /** From the head of an HTTP request to the last byte of its body; beyond: 408. */
  readonly bodyMs: number;
  /** Push bytes that may be queued for a slow reader; beyond: 3008. */
  readonly queueBytes: number;
  /** A subscriber with more bytes queued does not get volatile publications. */
  readonly volatileQueueBytes: number;
  /**
   * Bytes that all long replies in progress may hold together: encoded publications of history and recovery replies, and
   * long presence and RPC replies. Above it a further such command gets error 111, which clients retry.
   */
  readonly replyBytes: number;
  /** How long the peer may take no bytes; beyond: 3009. */
  readonly writeStallMs: number;
  /** Bytes of received commands that may wait for a slow command; beyond, the socket is not read. */
  readonly backlogBytes: number;
  /** UTF-8 bytes of a channel name; beyond: error 107. */
  readonly channelNameBytes: number;
  /**
   * Subscriptions of one connection, including those that wait for their channel; beyond: error 106, server-side 3505.
   */
  readonly channelsPerClient: number;
  /** Connections of one non-empty user on this node, on all its threads; 0 means any number; beyond: 3504. */
  readonly connectionsPerUser: number;
  /** Connections of one client address on this node, on all its threads; 0 means any number; beyond: 3504. */
  readonly connectionsPerAddress: number;
  /** Connections on this node, on all its threads; 0 means any number; beyond: 503 before a connection opens. */
  readonly connections: number;
  /** Publications that may arrive during a subscribe; beyond: 3010. */
  readonly subscribeBuffer: number;
  /** Publications that one history command returns at most; 0 means any number. */
  readonly historyItems: number;
  /** Publications that one recovery returns at most; 0 means any number; beyond: not recovered. */
  readonly recoveryItems: number;
  /** Messages of append streams that may be open in the memory of this node; beyond: refused as `limited`. */
  readonly appendStreams: number;
  /** From the open transport to a successful connect; beyond: 3502. */
  readonly staleMs: number;
  /** From a connect that was answered with an error to the end of the connection. */
  readonly refusedMs: number;
  /** Between server pings; 0 turns them off. */
  readonly pingMs: number;
  /** From a ping to its pong; beyond: 3012. Smaller than `pingMs`. */
  readonly pongMs: number;
  /** From a native WebSocket ping frame to its pong frame; beyond: 3012. */
  readonly nativePongMs: number;
  /** Between refreshes of presence entries and checks of expiry and position. */
  readonly presenceMs: number;
  /** The position of a channel that was quiet for this long is compared with the broker. */
  readonly positionCheckMs: number;
  /** A second read after this time confirms a mismatch: the publication may still be on its way. */
  readonly positionRecheckMs: number;
  /** From the expiry of a connection or subscription to its end. */
  readonly expiryGraceMs: number;
  /** Sessions that a shutdown closes at the same time. */
  readonly shutdownConcurrency: number;
}

/** The default limits. */
export const DEFAULT_LIMITS: Limits = {
  messageBytes: 65_536,
  bodyBytes: 67_108_864,
  bodyMs: 15_000,
  queueBytes: 1_048_576,
  volatileQueueBytes: 65_536,
  replyBytes: 67_108_864,
  writeStallMs: 1000,
  backlogBytes: 65_536,
  channelNameBytes: 255,
  channelsPerClient: 128,
  connectionsPerUser: 0,
  connectionsPerAddress: 0,
  connections: 0,
  subscribeBuffer: 10_000,
  historyItems: 1000,
  recoveryItems: 0,
  appendStreams: 10_000,
  staleMs: 15_000,
  refusedMs: 5000,
  pingMs: 25_000,
  pongMs: 8000,
  nativePongMs: 10_000,
  presenceMs: 25_000,
  positionCheckMs: 40_000,
  positionRecheckMs: 1500,
  expiryGraceMs: 25_000,
  shutdownConcurrency: 128,
};

/** Longest `ttl` announced to a client, seconds (client protocol 6.4). */
export const MAX_TTL_SECONDS = 365 * 24 * 3600;

/**
 * Payload bytes up to which each connection encodes a history or recovery reply for itself. A longer reply is encoded
 * once for all connections that get it.
 */
export function ownListBytes({ queueBytes }: Limits): number {
  return queueBytes / 64;
}
