import { bool, bytes, i64, message, messageMap, str, u32, u64 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ENTRIES } from '../schema/zero.ts';
import { type ClientInfo, clientInfoType } from './client-info.ts';
import { type Publication, publicationType } from './publication.ts';
import { type SubscribeResult, subscribeResultType } from './subscribe.ts';

/** A client subscribed (client protocol 3.3). */
export interface Join {
  readonly info: ClientInfo | null;
}

/** The subscription of a client ended (client protocol 3.3). */
export interface Leave {
  readonly info: ClientInfo | null;
}

/** A subscription was ended by the server. Both members are always sent. */
export interface Unsubscribe {
  readonly code: number;
  readonly reason: string;
}

/** An asynchronous message of the server. */
export interface Message {
  readonly data: Uint8Array | null;
}

/** A server-side subscription was added. */
export interface Subscribe {
  readonly recoverable: boolean;
  readonly epoch: string;
  readonly offset: number;
  readonly positioned: boolean;
  readonly data: Uint8Array | null;
}

/** Connect push of one-way transports. */
export interface Connect {
  readonly client: string;
  readonly version: string;
  readonly data: Uint8Array | null;
  readonly subs: ReadonlyMap<string, SubscribeResult>;
  readonly expires: boolean;
  readonly ttl: number;
  readonly ping: number;
  readonly pong: boolean;
  readonly session: string;
  readonly node: string;
  readonly time: number;
}

/** The end of the connection, on transports without close codes. */
export interface Disconnect {
  readonly code: number;
  readonly reason: string;
  /** Legacy, leave unset. */
  readonly reconnect: boolean;
}

/** Expiry of the connection changed; bidirectional clients ignore it. */
export interface Refresh {
  readonly expires: boolean;
  readonly ttl: number;
}

/** A message that the server sends without a command (client protocol 3.1). One of the nullable members is set. */
export interface Push {
  /** Numeric channel id, instead of `channel` (client protocol 14). */
  readonly id: number;
  readonly channel: string;
  readonly pub: Publication | null;
  readonly join: Join | null;
  readonly leave: Leave | null;
  readonly unsubscribe: Unsubscribe | null;
  readonly message: Message | null;
  readonly subscribe: Subscribe | null;
  readonly connect: Connect | null;
  readonly disconnect: Disconnect | null;
  readonly refresh: Refresh | null;
}

export const joinType: MessageType<Join> = new MessageType<Join>(
  'Join',
  () => ({ info: null }),
  () => ({ info: message(1, clientInfoType) }),
);

export const leaveType: MessageType<Leave> = new MessageType<Leave>(
  'Leave',
  () => ({ info: null }),
  () => ({ info: message(1, clientInfoType) }),
);

export const unsubscribeType: MessageType<Unsubscribe> = new MessageType<Unsubscribe>(
  'Unsubscribe',
  () => ({ code: 0, reason: '' }),
  () => ({ code: u32(2), reason: str(3) }),
);

export const messageType: MessageType<Message> = new MessageType<Message>(
  'Message',
  () => ({ data: null }),
  () => ({ data: bytes(1) }),
);

export const subscribeType: MessageType<Subscribe> = new MessageType<Subscribe>(
  'Subscribe',
  () => ({ recoverable: false, epoch: '', offset: 0, positioned: false, data: null }),
  () => ({ recoverable: bool(1), epoch: str(4), offset: u64(5), positioned: bool(6), data: bytes(7) }),
);

export const connectType: MessageType<Connect> = new MessageType<Connect>(
  'Connect',
  () => ({
    client: '',
    version: '',
    data: null,
    subs: NO_ENTRIES,
    expires: false,
    ttl: 0,
    ping: 0,
    pong: false,
    session: '',
    node: '',
    time: 0,
  }),
  () => ({
    client: str(1),
    version: str(2),
    data: bytes(3),
    subs: messageMap(4, subscribeResultType),
    expires: bool(5),
    ttl: u32(6),
    ping: u32(7),
    pong: bool(8),
    session: str(9),
    node: str(10),
    time: i64(11),
  }),
);

export const disconnectType: MessageType<Disconnect> = new MessageType<Disconnect>(
  'Disconnect',
  () => ({ code: 0, reason: '', reconnect: false }),
  () => ({ code: u32(1), reason: str(2), reconnect: bool(3) }),
);

export const refreshType: MessageType<Refresh> = new MessageType<Refresh>(
  'Refresh',
  () => ({ expires: false, ttl: 0 }),
  () => ({ expires: bool(1), ttl: u32(2) }),
);

export const pushType: MessageType<Push> = new MessageType<Push>(
  'Push',
  () => ({
    id: 0,
    channel: '',
    pub: null,
    join: null,
    leave: null,
    unsubscribe: null,
    message: null,
    subscribe: null,
    connect: null,
    disconnect: null,
    refresh: null,
  }),
  () => ({
    id: i64(1),
    channel: str(2),
    pub: message(4, publicationType),
    join: message(5, joinType),
    leave: message(6, leaveType),
    unsubscribe: message(7, unsubscribeType),
    message: message(8, messageType),
    subscribe: message(9, subscribeType),
    connect: message(10, connectType),
    disconnect: message(11, disconnectType),
    refresh: message(12, refreshType),
  }),
);
