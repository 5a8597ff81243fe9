import { type FilterNode, filterNodeType } from '../messages/filter-node.ts';
import { type StreamPosition, streamPositionType } from '../messages/stream-position.ts';
import { bool, bytes, double, doubleMap, i64, message, str, strings, u32, u64 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ENTRIES, NO_ITEMS } from '../schema/zero.ts';

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

/** The connections that an operation selects: those of a user, one of them, or all. */
export interface ControlTarget {
  /** Empty together with `allUsers` false: the anonymous user. */
  readonly user: string;
  readonly client: string;
  readonly session: string;
  /** Condition on the labels of connections. */
  readonly labelFilter: FilterNode | null;
  readonly allUsers: boolean;
}

/** Ends a subscription of connections on every node. */
export interface ControlUnsubscribe extends ControlTarget {
  readonly channel: string;
  readonly code: number;
  readonly reason: string;
}

/** Ends connections of a user on every node. */
export interface ControlDisconnect extends ControlTarget {
  /** Ids of connections that are not disconnected. */
  readonly whitelist: readonly string[];
  readonly code: number;
  readonly reason: string;
  readonly reconnect: boolean;
}

/** Gives connections a server-side subscription on every node. */
export interface ControlSubscribe extends ControlTarget {
  readonly channel: string;
  readonly emitPresence: boolean;
  readonly emitJoinLeave: boolean;
  /** Unix seconds. */
  readonly expireAt: number;
  readonly position: boolean;
  readonly recover: boolean;
  readonly channelInfo: Uint8Array | null;
  readonly data: Uint8Array | null;
  readonly recoverSince: StreamPosition | null;
  readonly pushJoinLeave: boolean;
  readonly source: number;
}

/** Replaces the expiry of connections on every node. */
export interface ControlRefresh extends ControlTarget {
  readonly expired: boolean;
  /** Unix seconds. */
  readonly expireAt: number;
  readonly info: Uint8Array | null;
}

/** A survey of the application among nodes. */
export interface SurveyRequest {
  /** Unique on the asking node. */
  readonly id: number;
  readonly op: string;
  readonly data: Uint8Array | null;
}

/** A node's answer to a survey. */
export interface SurveyResponse {
  readonly id: number;
  /** 0 is success. */
  readonly code: number;
  readonly data: Uint8Array | null;
}

/** A message of the application between nodes. */
export interface Notification {
  readonly op: string;
  readonly data: Uint8Array | null;
}

/** The sender stops. Has no members. */
export type Shutdown = Record<never, never>;

/** One message between nodes (client protocol 17). One of the nullable members is set. */
export interface ControlCommand {
  /** Node that sent it. */
  readonly uid: string;
  readonly node: ControlNode | null;
  readonly unsubscribe: ControlUnsubscribe | null;
  readonly disconnect: ControlDisconnect | null;
  readonly shutdown: Shutdown | null;
  readonly surveyRequest: SurveyRequest | null;
  readonly surveyResponse: SurveyResponse | null;
  readonly subscribe: ControlSubscribe | null;
  readonly notification: Notification | null;
  readonly refresh: ControlRefresh | null;
}

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

export const controlUnsubscribeType: MessageType<ControlUnsubscribe> = new MessageType<ControlUnsubscribe>(
  'Unsubscribe',
  () => ({
    channel: '',
    user: '',
    client: '',
    session: '',
    code: 0,
    reason: '',
    labelFilter: null,
    allUsers: false,
  }),
  () => ({
    channel: str(1),
    user: str(2),
    client: str(3),
    session: str(4),
    code: u32(5),
    reason: str(6),
    labelFilter: message(7, filterNodeType),
    allUsers: bool(8),
  }),
);

export const controlDisconnectType: MessageType<ControlDisconnect> = new MessageType<ControlDisconnect>(
  'Disconnect',
  () => ({
    user: '',
    whitelist: NO_ITEMS,
    code: 0,
    reason: '',
    reconnect: false,
    client: '',
    session: '',
    labelFilter: null,
    allUsers: false,
  }),
  () => ({
    user: str(1),
    whitelist: strings(2),
    code: u32(3),
    reason: str(4),
    reconnect: bool(5),
    client: str(6),
    session: str(7),
    labelFilter: message(8, filterNodeType),
    allUsers: bool(9),
  }),
);

export const controlSubscribeType: MessageType<ControlSubscribe> = new MessageType<ControlSubscribe>(
  'Subscribe',
  () => ({
    user: '',
    channel: '',
    emitPresence: false,
    emitJoinLeave: false,
    expireAt: 0,
    position: false,
    recover: false,
    channelInfo: null,
    client: '',
    data: null,
    recoverSince: null,
    session: '',
    pushJoinLeave: false,
    source: 0,
    labelFilter: null,
    allUsers: false,
  }),
  () => ({
    user: str(1),
    channel: str(2),
    emitPresence: bool(3),
    emitJoinLeave: bool(4),
    expireAt: i64(5),
    position: bool(6),
    recover: bool(7),
    channelInfo: bytes(8),
    client: str(9),
    data: bytes(10),
    recoverSince: message(11, streamPositionType),
    session: str(12),
    pushJoinLeave: bool(13),
    source: u32(14),
    labelFilter: message(15, filterNodeType),
    allUsers: bool(16),
  }),
);

export const controlRefreshType: MessageType<ControlRefresh> = new MessageType<ControlRefresh>(
  'Refresh',
  () => ({
    user: '',
    client: '',
    expired: false,
    expireAt: 0,
    info: null,
    session: '',
    labelFilter: null,
    allUsers: false,
  }),
  () => ({
    user: str(1),
    client: str(2),
    expired: bool(3),
    expireAt: i64(4),
    info: bytes(5),
    session: str(6),
    labelFilter: message(7, filterNodeType),
    allUsers: bool(8),
  }),
);

export const surveyRequestType: MessageType<SurveyRequest> = new MessageType<SurveyRequest>(
  'SurveyRequest',
  () => ({ id: 0, op: '', data: null }),
  () => ({ id: u64(1), op: str(2), data: bytes(3) }),
);

export const surveyResponseType: MessageType<SurveyResponse> = new MessageType<SurveyResponse>(
  'SurveyResponse',
  () => ({ id: 0, code: 0, data: null }),
  () => ({ id: u64(1), code: u32(2), data: bytes(3) }),
);

export const notificationType: MessageType<Notification> = new MessageType<Notification>(
  'Notification',
  () => ({ op: '', data: null }),
  () => ({ op: str(1), data: bytes(2) }),
);

export const shutdownType: MessageType<Shutdown> = new MessageType<Shutdown>(
  'Shutdown',
  () => ({}),
  () => ({}),
);

export const controlCommandType: MessageType<ControlCommand> = new MessageType<ControlCommand>(
  'Command',
  () => ({
    uid: '',
    node: null,
    unsubscribe: null,
    disconnect: null,
    shutdown: null,
    surveyRequest: null,
    surveyResponse: null,
    subscribe: null,
    notification: null,
    refresh: null,
  }),
  () => ({
    uid: str(1),
    node: message(4, controlNodeType),
    unsubscribe: message(5, controlUnsubscribeType),
    disconnect: message(6, controlDisconnectType),
    shutdown: message(7, shutdownType),
    surveyRequest: message(8, surveyRequestType),
    surveyResponse: message(9, surveyResponseType),
    subscribe: message(10, controlSubscribeType),
    notification: message(11, notificationType),
    refresh: message(12, controlRefreshType),
  }),
);
