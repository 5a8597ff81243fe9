/**
 * Limits and timers of one node. The defaults are those of client protocol 20; all times are milliseconds, all
 * sizes bytes.
 */
export interface Limits {
  /** Largest incoming message: one WebSocket message, one request body. */
  readonly messageBytes: number;
  /** Memory that the bodies of all HTTP requests under way may hold; beyond: 503. */
  readonly bodyBytes: number;
  /** From the head of an HTTP request to the last byte of its body; beyond: 408. */
  readonly bodyMs: number;
  /** Push bytes that may wait for a slow reader; beyond: 3008. */
  readonly queueBytes: number;
  /** A subscriber with more bytes waiting does not get volatile publications. */
  readonly volatileQueueBytes: number;
  /**
   * Encoded publications that long history and recovery replies on their way may hold, with long presence and RPC
   * replies that wait for their readers, all together; once they hold so much, a further such command gets error 111,
   * which clients retry.
   */
  readonly replyBytes: number;
  /** The peer may take nothing for this long; beyond: 3009. */
  readonly writeStallMs: number;
  /** Received commands that may wait for a slow one; beyond, the socket is not read. */
  readonly backlogBytes: number;
  /** UTF-8 bytes of a channel name; beyond: error 107. */
  readonly channelNameBytes: number;
  /** Subscriptions of one connection, with those that wait for their channel; beyond: error 106, server-side 3505. */
  readonly channelsPerClient: number;
  /** Connections of one non-empty user on this node; 0 means any number; beyond: 3504. */
  readonly connectionsPerUser: number;
  /** Connections of one client address on this node; 0 means any number; beyond: 3504. */
  readonly connectionsPerAddress: number;
  /** Connections on this node; 0 means any number; beyond: 503 before a connection opens. */
  readonly connections: number;
  /** Publications that may arrive while a subscribe is under way; beyond: 3010. */
  readonly subscribeBuffer: number;
  /** Publications that one history command returns at most; 0 means any number. */
  readonly historyItems: number;
  /** Publications one recovery returns at most; 0 means any number. More than that: not recovered. */
  readonly recoveryItems: number;
  /** From the open transport to a successful connect; beyond: 3502. */
  readonly staleMs: number;
  /** An answered connect error leaves the connection this long. */
  readonly refusedMs: number;
  /** Between server pings; 0 turns them off. */
  readonly pingMs: number;
  /** From a ping to its pong; beyond: 3012. Smaller than `pingMs`. */
  readonly pongMs: number;
  /** From a native WebSocket ping frame to its pong frame; beyond: 3012. */
  readonly nativePongMs: number;
  /** Between refreshes of presence entries and checks of expiry and position. */
  readonly presenceMs: number;
  /** A positioned channel that saw nothing for this long is compared with the broker. */
  readonly positionCheckMs: number;
  /** A mismatch is confirmed by a second read after this long: the publication may still be on its way. */
  readonly positionRecheckMs: number;
  /** After the expiry of a connection or subscription, until it is ended. */
  readonly expiryGraceMs: number;
  /** Sessions closed at a time during shutdown. */
  readonly shutdownConcurrency: number;
}

/** The limits of a node that sets none. */
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
 * Payload bytes of a history or recovery reply that is a message of its connection alone. A longer one is encoded once
 * for all connections that get it.
 */
export function ownListBytes({ queueBytes }: Limits): number {
  return queueBytes / 64;
}
