import { type FilterNode, filterNodeType } from '../messages/filter-node.ts';
import { type StreamPosition, streamPositionType } from '../messages/stream-position.ts';
import { bool, bytes, i64, message, str, strings, u32 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ITEMS } from '../schema/zero.ts';

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
