import { MsgError } from '@msg/core';
import type { Limits } from '@msg/engine';
import { defined } from '@msg/foundation/json';

/** Limits of clients. Source: messaging details 17, `limits.*`. */
export interface MsgLimits {
  /** Bytes of one incoming message of a client; default 65,536; beyond: its connection ends. */
  readonly messageBytes?: number;
  /** Subscriptions of one connection; default 128; beyond: error 106. */
  readonly subscriptionsPerConnection?: number;
  /** Bytes of a channel name on the client protocol; default 255; beyond: error 107. */
  readonly channelNameBytes?: number;
  /** Bytes of pushes that may wait for a slow reader; default 1 MiB; beyond: disconnect 3008. */
  readonly queueBytes?: number;
  /** Connections on this node; default 0: any number; beyond: 503. */
  readonly connections?: number;
  /** Connections of one client address on this node; default 0: any number; beyond: disconnect 3504. */
  readonly connectionsPerAddress?: number;
  /** Publications that one history command of a client returns at most; default 1,000. */
  readonly historyItems?: number;
  /** Messages of append streams that may be open in the memory of this node; default 10,000; beyond: MSG_RATE_LIMITED. */
  readonly appendStreams?: number;
  /** Bytes of memory that the bodies of all open HTTP requests may hold; default 64 MiB; beyond: 503. */
  readonly bodyBytes?: number;
}

/** Pings that find dead connections. */
export interface PingOptions {
  /** Between pings of the server; default 25 s. */
  readonly intervalMs?: number;
  /** From a ping to its pong; default 8 s; smaller than the interval; beyond: disconnect 3012. */
  readonly timeoutMs?: number;
}

/** Pings of a node without options of its own (`docs/limits.md`). */
const DEFAULT_PING = { intervalMs: 25_000, timeoutMs: 8000 } as const;

/**
 * The engine's limits for the options of a service.
 * @throws MsgError MSG_INVALID_ARGUMENT for a pong timeout that is not below the ping interval
 */
export function engineLimits(limits: MsgLimits = {}, ping: PingOptions = {}): Partial<Limits> {
  const { intervalMs, timeoutMs } = { ...DEFAULT_PING, ...ping };
  if (timeoutMs >= intervalMs) {
    const text = `server.ping.timeout must be smaller than server.ping.interval, ${intervalMs / 1000} s; got ${timeoutMs / 1000} s`;
    throw new MsgError('MSG_INVALID_ARGUMENT', text);
  }
  const { subscriptionsPerConnection: channelsPerClient, ...others } = limits;
  return { ...others, ...defined({ channelsPerClient }), pingMs: intervalMs, pongMs: timeoutMs };
}
