import { bool, bytes, i64, message, messageMap, str, stringMap, u32 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ENTRIES } from '../schema/zero.ts';
import {
  type SubscribeRequest,
  type SubscribeResult,
  subscribeRequestType,
  subscribeResultType,
} from './subscribe.ts';

/** First command of a connection (client protocol 3.4, 7.1). */
export interface ConnectRequest {
  /** Connection token. */
  readonly token: string;
  /** Payload for the application. */
  readonly data: Uint8Array | null;
  /** Server-side subscriptions the client remembers, by channel; of each only the position and `delta` count. */
  readonly subs: ReadonlyMap<string, SubscribeRequest>;
  /** Name of the client library. */
  readonly name: string;
  /** Version of the application. */
  readonly version: string;
  /** Headers emulated by browsers: untrusted input. */
  readonly headers: ReadonlyMap<string, string>;
  /** Feature bits of the connection; 1: understands dictionary compression. */
  readonly flag: number;
  /** Id of a compression dictionary the client kept. */
  readonly dict: string;
  /** Hint: connection profile. */
  readonly profile: string;
}

/** A compression dictionary (client protocol 3.2). */
export interface Dictionary {
  readonly id: string;
  readonly data: Uint8Array | null;
  readonly dataB64: string;
}

/** Answer to {@link ConnectRequest} (client protocol 3.4). */
export interface ConnectResult {
  /** Connection id, never empty. */
  readonly client: string;
  /** Server version, never empty. */
  readonly version: string;
  /** The credentials expire and the client must refresh them. */
  readonly expires: boolean;
  /** Seconds until expiry, at least 1 with `expires`. */
  readonly ttl: number;
  readonly data: Uint8Array | null;
  /** Server-side subscriptions by channel. */
  readonly subs: ReadonlyMap<string, SubscribeResult>;
  /** Interval of server pings, seconds; 0: none. */
  readonly ping: number;
  /** The server expects pongs. */
  readonly pong: boolean;
  /** Secret session id; emulated transports only. */
  readonly session: string;
  /** Node that holds the connection; emulated transports only. */
  readonly node: string;
  /** Server time, Unix milliseconds. */
  readonly time: number;
  /** Accepted feature bits. */
  readonly flag: number;
  readonly dict: Dictionary | null;
}

export const connectRequestType: MessageType<ConnectRequest> = new MessageType<ConnectRequest>(
  'ConnectRequest',
  () => ({
    token: '',
    data: null,
    subs: NO_ENTRIES,
    name: '',
    version: '',
    headers: NO_ENTRIES,
    flag: 0,
    dict: '',
    profile: '',
  }),
  () => ({
    token: str(1),
    data: bytes(2),
    subs: messageMap(3, subscribeRequestType),
    name: str(4),
    version: str(5),
    headers: stringMap(6),
    flag: i64(7),
    dict: str(8),
    profile: str(9),
  }),
);

export const dictionaryType: MessageType<Dictionary> = new MessageType<Dictionary>(
  'Dictionary',
  () => ({ id: '', data: null, dataB64: '' }),
  () => ({ id: str(1), data: bytes(2), dataB64: str(3) }),
);

export const connectResultType: MessageType<ConnectResult> = new MessageType<ConnectResult>(
  'ConnectResult',
  () => ({
    client: '',
    version: '',
    expires: false,
    ttl: 0,
    data: null,
    subs: NO_ENTRIES,
    ping: 0,
    pong: false,
    session: '',
    node: '',
    time: 0,
    flag: 0,
    dict: null,
  }),
  () => ({
    client: str(1),
    version: str(2),
    expires: bool(3),
    ttl: u32(4),
    data: bytes(5),
    subs: messageMap(6, subscribeResultType),
    ping: u32(7),
    pong: bool(8),
    session: str(9),
    node: str(10),
    time: i64(11),
    flag: i64(12),
    dict: message(13, dictionaryType),
  }),
);
