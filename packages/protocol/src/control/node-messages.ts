import { bytes, double, doubleMap, message, str, u32 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ENTRIES } from '../schema/zero.ts';

/** Numbers a node publishes about itself. */
export interface ControlMetrics {
  /** Seconds the items cover. */
  readonly interval: number;
  readonly items: ReadonlyMap<string, number>;
}

/** The announcement that a node sends every few seconds. */
export interface ControlNode {
  readonly uid: string;
  readonly name: string;
  readonly version: string;
  readonly numClients: number;
  readonly numUsers: number;
  readonly numChannels: number;
  /** Seconds. */
  readonly uptime: number;
  /** Null: unchanged since the last time. */
  readonly metrics: ControlMetrics | null;
  readonly data: Uint8Array | null;
  readonly numSubs: number;
}

/** The sender stops. Has no members. */
export type Shutdown = Record<never, never>;

export const controlMetricsType: MessageType<ControlMetrics> = new MessageType<ControlMetrics>(
  'Metrics',
  () => ({ interval: 0, items: NO_ENTRIES }),
  () => ({ interval: double(1), items: doubleMap(2) }),
);

export const controlNodeType: MessageType<ControlNode> = new MessageType<ControlNode>(
  'Node',
  () => ({
    uid: '',
    name: '',
    version: '',
    numClients: 0,
    numUsers: 0,
    numChannels: 0,
    uptime: 0,
    metrics: null,
    data: null,
    numSubs: 0,
  }),
  () => ({
    uid: str(1),
    name: str(2),
    version: str(3),
    numClients: u32(4),
    numUsers: u32(5),
    numChannels: u32(6),
    uptime: u32(7),
    metrics: message(8, controlMetricsType),
    data: bytes(9),
    numSubs: u32(10),
  }),
);

export const shutdownType: MessageType<Shutdown> = new MessageType<Shutdown>(
  'Shutdown',
  () => ({}),
  () => ({}),
);
