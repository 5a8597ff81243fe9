import type { UnrecoveredReason } from './stream/recovery.ts';

/** Counters of one node since its creation, and gauges at the moment of the copy. Plain integers. */
export interface NodeStats {
  /** Connected sessions. */
  connections: number;
  /** Registered subscriptions. */
  subscriptions: number;
  /** Refused subscribes that clients retry until the channel exists. */
  waitingSubscribes: number;
  /** Channels with at least one local subscriber. */
  channels: number;
  /** Timers of connections, streams and writes. */
  timers: number;
  /** Publications queued for receivers. */
  deliveries: number;
  /** Volatile publications that were dropped for a subscriber with a long queue. */
  volatileDrops: number;
  /** Bytes that wait for peers: queued, or written to a transport and not yet sent. */
  queueBytes: number;
  /** Encoded bytes that long history and recovery replies in progress share. */
  sharedReplyBytes: number;
  /** Bytes written to transports. */
  bytesOut: number;
  /** Bytes of commands received. */
  bytesIn: number;
  /** Commands executed. */
  commands: number;
  /** Subscribes that asked for recovery, by outcome. */
  recovered: number;
  unrecovered: number;
  /** The unrecovered ones by the reason of {@link UnrecoveredReason}; they add up to `unrecovered`. */
  unrecoveredEpoch: number;
  unrecoveredTrimmed: number;
  unrecoveredAhead: number;
  unrecoveredLimit: number;
  /** Subscriptions ended because continuity was lost (2500, 3010). */
  insufficientStates: number;
  /** Connections disconnected with 3008 or 3009. */
  slowConsumers: number;
  /** Messages of append streams that are open; on a shared store those that this node copies for its subscribers. */
  openMessages: number;
  /** Bytes of those copies, and how often one was dropped because a state was missed; in memory both are 0. */
  mirrorBytes: number;
  mirrorDrops: number;
  /** States of append streams that receivers got, by form. */
  statePatches: number;
  /** One patch over several states, for a receiver that had fallen behind. */
  stateCatchUps: number;
  /** The whole document, and the whole document in place of several states. */
  statesInFull: number;
  statesRolledUp: number;
}

export function newStats(): NodeStats {
  return {
    connections: 0,
    subscriptions: 0,
    waitingSubscribes: 0,
    channels: 0,
    timers: 0,
    deliveries: 0,
    volatileDrops: 0,
    queueBytes: 0,
    sharedReplyBytes: 0,
    bytesOut: 0,
    bytesIn: 0,
    commands: 0,
    recovered: 0,
    unrecovered: 0,
    unrecoveredEpoch: 0,
    unrecoveredTrimmed: 0,
    unrecoveredAhead: 0,
    unrecoveredLimit: 0,
    insufficientStates: 0,
    slowConsumers: 0,
    openMessages: 0,
    mirrorBytes: 0,
    mirrorDrops: 0,
    statePatches: 0,
    stateCatchUps: 0,
    statesInFull: 0,
    statesRolledUp: 0,
  };
}

/** Counts a recovery that could not be proven. */
export function countUnrecovered(stats: NodeStats, reason: UnrecoveredReason): void {
  stats.unrecovered++;
  switch (reason) {
    case 'epoch':
      stats.unrecoveredEpoch++;
      return;
    case 'trimmed':
      stats.unrecoveredTrimmed++;
      return;
    case 'ahead':
      stats.unrecoveredAhead++;
      return;
    case 'limit':
      stats.unrecoveredLimit++;
  }
}
