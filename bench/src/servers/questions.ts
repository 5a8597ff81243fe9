/** What the orchestrating process may ask every server under measurement. */
export type ServerQuestion =
  | { readonly kind: 'address' }
  | { readonly kind: 'cpu' }
  | { readonly kind: 'memory' }
  /** Answered when the last connection is gone. */
  | { readonly kind: 'abandoned' };

/** Asked of servers that deliver. */
export type DeliveryQuestion = ServerQuestion | ({ readonly kind: 'publish' } & Publishing);

export interface Publishing {
  /** Channels that have subscribers, the same number each. */
  readonly channels: number;
  /** Channels served in one turn of the event loop, round robin. */
  readonly channelsPerTick: number;
  /** Publications per channel served. */
  readonly perChannel: number;
  readonly payload: PayloadKind;
  /** Every publication carries its moment. */
  readonly stamped: boolean;
  /** Publish, whole rounds, until this process has used so much CPU. 0: one round. */
  readonly cpuMs: number;
  /** Milliseconds from tick to tick; 0: as fast as `restMs` allows. */
  readonly everyMs: number;
  /** Milliseconds of rest after every tick, so that sockets drain. */
  readonly restMs: number;
}

/** `plain`: 256 bytes of JSON, always the same. `similar`: 1 KB of JSON of which each time little is new. */
export type PayloadKind = 'plain' | 'similar';

/** To the plain-write server only: the frame that it writes per publication, base64. */
export interface FrameQuestion {
  readonly kind: 'frame';
  readonly bytes: string;
}

/** To the bare WebSocket server only: the text that it answers every message with, base64. */
export interface ReplyQuestion {
  readonly kind: 'reply';
  readonly bytes: string;
}

export interface Address {
  readonly port: number;
}

export interface Cpu {
  /** User and system time of the server process so far, microseconds. */
  readonly us: number;
}

export interface Memory {
  /** Resident set after forced collections, bytes. */
  readonly rss: number;
}

export interface Measurement {
  /** CPU of the server process, user and system, microseconds. */
  readonly cpuUs: number;
  readonly wallMs: number;
  /** Publications handed to receivers. */
  readonly deliveries: number;
  /** Bytes handed to sockets. */
  readonly bytes: number;
}

/** To brokers on a store: publish to the next channel every so many milliseconds; 0: finish the round and stop. */
export interface FlowQuestion {
  readonly kind: 'flow';
  readonly channels: number;
  readonly everyMs: number;
}

export interface Flowed {
  /** Publications of each channel so far; whole when stopped. */
  readonly perChannel: number;
}
