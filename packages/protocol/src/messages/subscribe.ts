import { bool, bytes, i32, i64, message, messages, str, u32, u64 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ITEMS } from '../schema/zero.ts';
import { type FilterNode, filterNodeType } from './filter-node.ts';
import { type Publication, publicationType } from './publication.ts';

/** Feature bits of {@link SubscribeRequest.flag}. */
export const SubscribeFlag = {
  /** The client understands numeric channel ids (client protocol 14). */
  channelCompaction: 1,
  /** The client wants error 112 for a failed recovery (client protocol 7.3). */
  rejectUnrecovered: 2,
} as const;

/** Request for a subscription (client protocol 3.4, 7.3). */
export interface SubscribeRequest {
  readonly channel: string;
  /** Subscription token. */
  readonly token: string;
  /** Try to recover from (`epoch`, `offset`). */
  readonly recover: boolean;
  readonly epoch: string;
  readonly offset: number;
  /** Payload for the application. */
  readonly data: Uint8Array | null;
  /** Wish. */
  readonly positioned: boolean;
  /** Wish. */
  readonly recoverable: boolean;
  /** Requested: join and leave. */
  readonly joinLeave: boolean;
  /** `fossil` or empty. */
  readonly delta: string;
  /** Filter on tags. */
  readonly tf: FilterNode | null;
  /** Bits of {@link SubscribeFlag}. */
  readonly flag: number;
  /** 0: stream; 1–3: map kinds; 4: shared poll. */
  readonly type: number;
  /** Map channels: synchronisation phase. */
  readonly phase: number;
  /** Map channels: paging. */
  readonly cursor: string;
  /** Map channels: paging. */
  readonly limit: number;
  /** Map channels: ordering. */
  readonly asc: boolean;
}

/** Answer to {@link SubscribeRequest} (client protocol 3.4, 7.3). */
export interface SubscribeResult {
  /** The client must refresh the subscription. */
  readonly expires: boolean;
  /** Seconds, at least 1 with `expires`. */
  readonly ttl: number;
  readonly recoverable: boolean;
  readonly epoch: string;
  /** Missed publications, ascending; only when recovered. */
  readonly publications: readonly Publication[];
  /** Continuity from the client's position is proven. */
  readonly recovered: boolean;
  /** The client's offset when recovered, else the top. */
  readonly offset: number;
  readonly positioned: boolean;
  readonly data: Uint8Array | null;
  /** A recovery was attempted. */
  readonly wasRecovering: boolean;
  /** Deltas are negotiated. */
  readonly delta: boolean;
  /** Numeric channel id; above 0 when compaction is on. */
  readonly id: number;
  readonly type: number;
  readonly phase: number;
  readonly cursor: string;
  /** Map channels. */
  readonly state: readonly Publication[];
  /** Milliseconds by which the client should debounce its publishes; 0: none. */
  readonly publishDebounce: number;
}

/** Ends a subscription (client protocol 7.5). */
export interface UnsubscribeRequest {
  readonly channel: string;
}

/** Has no members. */
export type UnsubscribeResult = Record<never, never>;

export const subscribeRequestType: MessageType<SubscribeRequest> = new MessageType<SubscribeRequest>(
  'SubscribeRequest',
  () => ({
    channel: '',
    token: '',
    recover: false,
    epoch: '',
    offset: 0,
    data: null,
    positioned: false,
    recoverable: false,
    joinLeave: false,
    delta: '',
    tf: null,
    flag: 0,
    type: 0,
    phase: 0,
    cursor: '',
    limit: 0,
    asc: false,
  }),
  () => ({
    channel: str(1),
    token: str(2),
    recover: bool(3),
    epoch: str(6),
    offset: u64(7),
    data: bytes(8),
    positioned: bool(9),
    recoverable: bool(10),
    joinLeave: bool(11),
    delta: str(12),
    tf: message(13, filterNodeType),
    flag: i64(14),
    type: i32(15),
    phase: i32(16),
    cursor: str(17),
    limit: i32(18),
    asc: bool(19),
  }),
);

export const subscribeResultType: MessageType<SubscribeResult> = new MessageType<SubscribeResult>(
  'SubscribeResult',
  () => ({
    expires: false,
    ttl: 0,
    recoverable: false,
    epoch: '',
    publications: NO_ITEMS,
    recovered: false,
    offset: 0,
    positioned: false,
    data: null,
    wasRecovering: false,
    delta: false,
    id: 0,
    type: 0,
    phase: 0,
    cursor: '',
    state: NO_ITEMS,
    publishDebounce: 0,
  }),
  () => ({
    expires: bool(1),
    ttl: u32(2),
    recoverable: bool(3),
    epoch: str(6),
    publications: messages(7, publicationType),
    recovered: bool(8),
    offset: u64(9),
    positioned: bool(10),
    data: bytes(11),
    wasRecovering: bool(12),
    delta: bool(13),
    id: i64(14),
    type: i32(15),
    phase: i32(16),
    cursor: str(17),
    state: messages(18, publicationType),
    publishDebounce: u32(19),
  }),
);

export const unsubscribeRequestType: MessageType<UnsubscribeRequest> = new MessageType<UnsubscribeRequest>(
  'UnsubscribeRequest',
  () => ({ channel: '' }),
  () => ({ channel: str(1) }),
);

export const unsubscribeResultType: MessageType<UnsubscribeResult> = new MessageType<UnsubscribeResult>(
  'UnsubscribeResult',
  () => ({}),
  () => ({}),
);
