import type { NodeStats } from '../stats.ts';
import type { NodeParts } from './parts.ts';

/** A copy of the counters, with the current gauges. */
export function readStats({ stats, broker, context, hub, sessions, wheel }: NodeParts): NodeStats {
  let queueBytes = 0;
  for (const session of sessions) queueBytes += session.waitingBytes;
  return {
    ...stats,
    queueBytes,
    sharedReplyBytes: context.encodedStreams.bytes,
    connections: sessions.openCount,
    subscriptions: hub.subscriptionCount,
    channels: hub.channelCount,
    timers: wheel.size,
    openMessages: broker.appends?.openMessages ?? 0,
    mirrorBytes: broker.appends?.mirrors?.bytes ?? 0,
    mirrorDrops: broker.appends?.mirrors?.drops ?? 0,
  };
}
