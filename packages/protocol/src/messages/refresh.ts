import { bool, i32, messages, str, strings, u32, u64 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ITEMS } from '../schema/zero.ts';
import { type Publication, publicationType } from './publication.ts';

/** New credentials for the connection (client protocol 7.2). */
export interface RefreshRequest {
  readonly token: string;
}

/** The reply to a refresh of the connection. */
export interface RefreshResult {
  /** Connection id; clients overwrite theirs with it. */
  readonly client: string;
  readonly version: string;
  readonly expires: boolean;
  /** Seconds, at least 1 with `expires`. */
  readonly ttl: number;
}

/** One key of a shared poll (client protocol 3.2). */
export interface KeyedItem {
  readonly key: string;
  readonly version: number;
}

/** Keys to track in a shared poll (client protocol 3.2). */
export interface TrackBatch {
  readonly signature: string;
  readonly items: readonly KeyedItem[];
}

/** New credentials for one subscription (client protocol 7.4). */
export interface SubRefreshRequest {
  readonly channel: string;
  readonly token: string;
  /** 0: refresh; 1: track; 2: untrack. */
  readonly type: number;
  readonly track: readonly TrackBatch[];
  readonly untrack: readonly string[];
}

/** The reply to a refresh of a subscription. */
export interface SubRefreshResult {
  readonly expires: boolean;
  /** Seconds, at least 1 with `expires`. */
  readonly ttl: number;
  readonly items: readonly Publication[];
}

export const refreshRequestType: MessageType<RefreshRequest> = new MessageType<RefreshRequest>(
  'RefreshRequest',
  () => ({ token: '' }),
  () => ({ token: str(1) }),
);

export const refreshResultType: MessageType<RefreshResult> = new MessageType<RefreshResult>(
  'RefreshResult',
  () => ({ client: '', version: '', expires: false, ttl: 0 }),
  () => ({ client: str(1), version: str(2), expires: bool(3), ttl: u32(4) }),
);

export const keyedItemType: MessageType<KeyedItem> = new MessageType<KeyedItem>(
  'KeyedItem',
  () => ({ key: '', version: 0 }),
  () => ({ key: str(1), version: u64(2) }),
);

export const trackBatchType: MessageType<TrackBatch> = new MessageType<TrackBatch>(
  'TrackBatch',
  () => ({ signature: '', items: NO_ITEMS }),
  () => ({ signature: str(1), items: messages(2, keyedItemType) }),
);

export const subRefreshRequestType: MessageType<SubRefreshRequest> = new MessageType<SubRefreshRequest>(
  'SubRefreshRequest',
  () => ({ channel: '', token: '', type: 0, track: NO_ITEMS, untrack: NO_ITEMS }),
  () => ({
    channel: str(1),
    token: str(2),
    type: i32(3),
    track: messages(4, trackBatchType),
    untrack: strings(5),
  }),
);

export const subRefreshResultType: MessageType<SubRefreshResult> = new MessageType<SubRefreshResult>(
  'SubRefreshResult',
  () => ({ expires: false, ttl: 0, items: NO_ITEMS }),
  () => ({ expires: bool(1), ttl: u32(2), items: messages(3, publicationType) }),
);
