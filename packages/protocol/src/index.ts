export { ChannelAddress } from './channel-address.ts';
export type * from './codec.ts';
export {
  DISCONNECT_CODES,
  DisconnectCode,
  type DisconnectCodeRow,
  disconnectReconnects,
} from './codes/disconnect-codes.ts';
export {
  connectErrorRetries,
  ERROR_CODES,
  ErrorCode,
  type ErrorCodeRow,
  subscribeErrorRetries,
} from './codes/error-codes.ts';
export {
  UNSUBSCRIBE_CODES,
  UnsubscribeCode,
  type UnsubscribeCodeRow,
  unsubscribeResubscribes,
} from './codes/unsubscribe-codes.ts';
export { DecodeError, type DecodeErrorCode } from './decode-error.ts';
export { applyDelta } from './delta/apply.ts';
export { createDelta } from './delta/create.ts';
export { EncodeError, type EncodeErrorCode } from './encode-error.ts';
export { jsonCodec } from './json/codec.ts';
export { COMMAND_DECODE_LIMITS, type DecodeLimits, PAYLOAD_DEPTH, REPLY_DECODE_LIMITS } from './limits.ts';
export type { ClientInfo } from './messages/client-info.ts';
export type { Command, CommandEnvelope, CommandKind } from './messages/command.ts';
export type { ConnectRequest, ConnectResult, Dictionary } from './messages/connect.ts';
export type { EmulationRequest } from './messages/emulation.ts';
export type { FilterNode } from './messages/filter-node.ts';
export type { HistoryRequest, HistoryResult } from './messages/history.ts';
export type {
  PresenceRequest,
  PresenceResult,
  PresenceStatsRequest,
  PresenceStatsResult,
} from './messages/presence.ts';
export type { Publication } from './messages/publication.ts';
export type { PublishRequest, PublishResult } from './messages/publish.ts';
export type {
  Connect,
  Disconnect,
  Join,
  Leave,
  Message,
  Push,
  Refresh,
  Subscribe,
  Unsubscribe,
} from './messages/push.ts';
export type {
  KeyedItem,
  RefreshRequest,
  RefreshResult,
  SubRefreshRequest,
  SubRefreshResult,
  TrackBatch,
} from './messages/refresh.ts';
export type { Reply, ReplyError } from './messages/reply.ts';
export type { PingRequest, PingResult, RpcRequest, RpcResult, SendRequest } from './messages/rpc.ts';
export type { StreamPosition } from './messages/stream-position.ts';
export {
  SubscribeFlag,
  type SubscribeRequest,
  type SubscribeResult,
  type UnsubscribeRequest,
  type UnsubscribeResult,
} from './messages/subscribe.ts';
export { Payload, type PayloadKind } from './payload/payload.ts';
export { protobufCodec } from './protobuf/codec.ts';
export type { Init } from './schema/message-type.ts';
export { CommandStream } from './streams/command-stream.ts';
export { ReplyStream } from './streams/reply-stream.ts';
