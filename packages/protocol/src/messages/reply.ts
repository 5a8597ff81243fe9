import { bool, message, str, u32 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { type ConnectResult, connectResultType } from './connect.ts';
import { type HistoryResult, historyResultType } from './history.ts';
import {
  type PresenceResult,
  type PresenceStatsResult,
  presenceResultType,
  presenceStatsResultType,
} from './presence.ts';
import { type PublishResult, publishResultType } from './publish.ts';
import { type Push, pushType } from './push.ts';
import {
  type RefreshResult,
  refreshResultType,
  type SubRefreshResult,
  subRefreshResultType,
} from './refresh.ts';
import { type PingResult, pingResultType, type RpcResult, rpcResultType } from './rpc.ts';
import {
  type SubscribeResult,
  subscribeResultType,
  type UnsubscribeResult,
  unsubscribeResultType,
} from './subscribe.ts';

/** Error of a reply (client protocol 9.1). */
export interface ReplyError {
  readonly code: number;
  readonly message: string;
  /** Clients retry with backoff. */
  readonly temporary: boolean;
}

/**
 * Server → client (client protocol 3.1). With an `id` above 0 the answer to the command with that id: `error` or
 * the result of the command's kind. Without: a push, or a ping when nothing is set.
 */
export interface Reply {
  readonly id: number;
  readonly error: ReplyError | null;
  readonly push: Push | null;
  readonly connect: ConnectResult | null;
  readonly subscribe: SubscribeResult | null;
  readonly unsubscribe: UnsubscribeResult | null;
  readonly publish: PublishResult | null;
  readonly presence: PresenceResult | null;
  readonly presenceStats: PresenceStatsResult | null;
  readonly history: HistoryResult | null;
  readonly ping: PingResult | null;
  readonly rpc: RpcResult | null;
  readonly refresh: RefreshResult | null;
  readonly subRefresh: SubRefreshResult | null;
}

export const replyErrorType: MessageType<ReplyError> = new MessageType<ReplyError>(
  'Error',
  () => ({ code: 0, message: '', temporary: false }),
  () => ({ code: u32(1), message: str(2), temporary: bool(3) }),
);

export const replyType: MessageType<Reply> = new MessageType<Reply>(
  'Reply',
  () => ({
    id: 0,
    error: null,
    push: null,
    connect: null,
    subscribe: null,
    unsubscribe: null,
    publish: null,
    presence: null,
    presenceStats: null,
    history: null,
    ping: null,
    rpc: null,
    refresh: null,
    subRefresh: null,
  }),
  () => ({
    id: u32(1),
    error: message(2, replyErrorType),
    push: message(4, pushType),
    connect: message(5, connectResultType),
    subscribe: message(6, subscribeResultType),
    unsubscribe: message(7, unsubscribeResultType),
    publish: message(8, publishResultType),
    presence: message(9, presenceResultType),
    presenceStats: message(10, presenceStatsResultType),
    history: message(11, historyResultType),
    ping: message(12, pingResultType),
    rpc: message(13, rpcResultType),
    refresh: message(14, refreshResultType),
    subRefresh: message(15, subRefreshResultType),
  }),
);
