import { MsgError } from '@msg/core';
import type { Limits } from '@msg/engine';
import { defined } from '@msg/foundation/json';
import type { MsgOptions } from './options.ts';

/** Pings of a node without options of its own (`docs/limits.md`). */
const DEFAULT_PING = { intervalMs: 25_000, timeoutMs: 8000 } as const;

/**
 * The engine's limits for the options of a service.
 * @throws MsgError MSG_INVALID_ARGUMENT for a pong timeout that is not below the ping interval
 */
export function engineLimits({
  limits = {},
  ping = {},
}: Pick<MsgOptions, 'limits' | 'ping'>): Partial<Limits> {
  const { intervalMs, timeoutMs } = { ...DEFAULT_PING, ...ping };
  if (timeoutMs >= intervalMs) {
    const text = `server.ping.timeout must be smaller than server.ping.interval, ${intervalMs / 1000} s; got ${timeoutMs / 1000} s`;
    throw new MsgError('MSG_INVALID_ARGUMENT', text);
  }
  const { subscriptionsPerConnection: channelsPerClient, ...others } = limits;
  return { ...others, ...defined({ channelsPerClient }), pingMs: intervalMs, pongMs: timeoutMs };
}
