/** Counters of one node since it was created, and gauges at the moment of the copy. Plain integers. */
export interface NodeStats {
  /** Connected sessions. */
  connections: number;
  /** Registered subscriptions. */
  subscriptions: number;
  /** Channels with at least one local subscriber. */
  channels: number;
  /** Timers of connections, streams and writes. */
  timers: number;
  /** Publications queued for receivers. */
  deliveries: number;
  /** Bytes handed to transports. */
  bytesOut: number;
  /** Bytes of commands received. */
  bytesIn: number;
  /** Commands executed. */
  commands: number;
  /** Subscribes that asked for recovery, by outcome. */
  recovered: number;
  unrecovered: number;
  /** Subscriptions ended because continuity was lost (2500, 3010). */
  insufficientStates: number;
  /** Connections cut with 3008 or 3009. */
  slowConsumers: number;
}

export function newStats(): NodeStats {
  return {
    connections: 0,
    subscriptions: 0,
    channels: 0,
    timers: 0,
    deliveries: 0,
    bytesOut: 0,
    bytesIn: 0,
    commands: 0,
    recovered: 0,
    unrecovered: 0,
    insufficientStates: 0,
    slowConsumers: 0,
  };
}
