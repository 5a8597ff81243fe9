import { message, u32 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { type ConnectRequest, connectRequestType } from './connect.ts';
import { type HistoryRequest, historyRequestType } from './history.ts';
import {
  type PresenceRequest,
  type PresenceStatsRequest,
  presenceRequestType,
  presenceStatsRequestType,
} from './presence.ts';
import { type PublishRequest, publishRequestType } from './publish.ts';
import {
  type RefreshRequest,
  refreshRequestType,
  type SubRefreshRequest,
  subRefreshRequestType,
} from './refresh.ts';
import {
  type PingRequest,
  pingRequestType,
  type RpcRequest,
  rpcRequestType,
  type SendRequest,
  sendRequestType,
} from './rpc.ts';
import {
  type SubscribeRequest,
  subscribeRequestType,
  type UnsubscribeRequest,
  unsubscribeRequestType,
} from './subscribe.ts';

/** Client → server on the wire (client protocol 3.1), which clients encode. */
export interface CommandEnvelope {
  /** Above 0 for every command with a reply. */
  readonly id: number;
  readonly connect: ConnectRequest | null;
  readonly subscribe: SubscribeRequest | null;
  readonly unsubscribe: UnsubscribeRequest | null;
  readonly publish: PublishRequest | null;
  readonly presence: PresenceRequest | null;
  readonly presenceStats: PresenceStatsRequest | null;
  readonly history: HistoryRequest | null;
  readonly ping: PingRequest | null;
  readonly send: SendRequest | null;
  readonly rpc: RpcRequest | null;
  readonly refresh: RefreshRequest | null;
  readonly subRefresh: SubRefreshRequest | null;
}

interface Requests {
  readonly connect: ConnectRequest;
  readonly subscribe: SubscribeRequest;
  readonly unsubscribe: UnsubscribeRequest;
  readonly publish: PublishRequest;
  readonly presence: PresenceRequest;
  readonly presence_stats: PresenceStatsRequest;
  readonly history: HistoryRequest;
  readonly rpc: RpcRequest;
  readonly send: SendRequest;
  readonly refresh: RefreshRequest;
  readonly sub_refresh: SubRefreshRequest;
  readonly ping: PingRequest;
  /** No member: a pong when `id` is 0. */
  readonly none: null;
}

/** Which request a command carries. */
export type CommandKind = keyof Requests;

/**
 * Client → server as servers decode it: the one valid request. When several members are set, the first in the order of
 * client protocol 6.1 wins: connect, subscribe, unsubscribe, publish, presence, presence_stats, history, rpc, send,
 * refresh, sub_refresh.
 */
export type Command = {
  readonly [K in CommandKind]: { readonly id: number; readonly kind: K; readonly request: Requests[K] };
}[CommandKind];

/** Kinds in order of precedence, with their member's field number. */
const PRECEDENCE: readonly (readonly [kind: CommandKind, number: number])[] = [
  ['connect', 4],
  ['subscribe', 5],
  ['unsubscribe', 6],
  ['publish', 7],
  ['presence', 8],
  ['presence_stats', 9],
  ['history', 10],
  ['rpc', 13],
  ['send', 12],
  ['refresh', 14],
  ['sub_refresh', 15],
  ['ping', 11],
];

/** Rank of `none`, below every other. */
export const NO_REQUEST: number = PRECEDENCE.length;

const KINDS: readonly CommandKind[] = [...PRECEDENCE.map(([kind]) => kind), 'none'];

const RANKS: readonly number[] = Array.from({ length: 16 }, (_, number) => {
  const rank = PRECEDENCE.findIndex(row => row[1] === number);
  return rank === -1 ? NO_REQUEST : rank;
});

/** Precedence of the envelope member with this field number; lower wins. */
export function commandRank(number: number): number {
  return RANKS[number]!;
}

/** The command whose winning member has this rank. */
export function commandOf(id: number, rank: number, request: unknown): Command {
  // Rank and request come from the same row of the envelope's table, which fixes the type of the request.
  return { id, kind: KINDS[rank]!, request } as Command;
}

export const commandType: MessageType<CommandEnvelope> = new MessageType<CommandEnvelope>(
  'Command',
  () => ({
    id: 0,
    connect: null,
    subscribe: null,
    unsubscribe: null,
    publish: null,
    presence: null,
    presenceStats: null,
    history: null,
    ping: null,
    send: null,
    rpc: null,
    refresh: null,
    subRefresh: null,
  }),
  () => ({
    id: u32(1),
    connect: message(4, connectRequestType),
    subscribe: message(5, subscribeRequestType),
    unsubscribe: message(6, unsubscribeRequestType),
    publish: message(7, publishRequestType),
    presence: message(8, presenceRequestType),
    presenceStats: message(9, presenceStatsRequestType),
    history: message(10, historyRequestType),
    ping: message(11, pingRequestType),
    send: message(12, sendRequestType),
    rpc: message(13, rpcRequestType),
    refresh: message(14, refreshRequestType),
    subRefresh: message(15, subRefreshRequestType),
  }),
);
