export {
  type Clock,
  type Random,
  systemClock,
  systemRandom,
  type TimerHandle,
} from '@msg/foundation/clock';
export type { MaybePromise } from '@msg/foundation/promises';
export { DisconnectCode, Payload, type Publication, type Push, UnsubscribeCode } from '@msg/protocol';
export type * from './append/contract.ts';
export type { DocumentState } from './append/document-state.ts';
export type { PreparedOp } from './append/prepared-op.ts';
export { type AppendRefusal, AppendRefused } from './append/refusal.ts';
export type { KeyBound, KeyCounts, NodeTotals, ProcessBounds, Total } from './bounds.ts';
export type { Broker, BrokerEvents, PublishResult } from './broker/contract.ts';
export { MemoryBroker } from './broker/memory.ts';
export type * from './control/contract.ts';
export { LocalControl } from './control/local.ts';
export type { ChannelTap } from './delivery/hub-channel.ts';
export { Disconnect, disconnect, errorReply, ReplyError, type Unsubscribe, unsubscribe } from './errors.ts';
export { DEFAULT_LIMITS, type Limits } from './limits.ts';
export type * from './node/connections.ts';
export type { NodeOptions } from './node/options.ts';
export { RealtimeNode } from './node.ts';
export type * from './policy.ts';
export type { Presence, PresenceCounts } from './presence/contract.ts';
export { MemoryPresence } from './presence/memory.ts';
export type { FrameRecorder } from './session/frame-recorder.ts';
export type { RecordedMessage, RecordedMessages } from './session/recorded-message.ts';
export { recordedCommands, recordedReplies } from './session/recorded-messages.ts';
export type { NodeStats } from './stats.ts';
export type * from './stream/contract.ts';
export { TimerWheel, WheelTimer } from './timers/timer-wheel.ts';
export type {
  Acceptor,
  Framing,
  Transport,
  TransportEvents,
  TransportNode,
} from './transports/contract.ts';
export type { RequestBodies } from './transports/http/body.ts';
export type { BodyDenial, BodyEvents, BodyRule, RequestBody } from './transports/http/body-contract.ts';
export type { OriginDecision, OriginOptions } from './transports/http/cors.ts';
export * from './transports/http/emulation.ts';
export { HttpStreamTransport } from './transports/http/http-stream.ts';
export { SseTransport } from './transports/http/sse.ts';
export { InProcessConnection, type InProcessOptions } from './transports/in-process.ts';
export type {
  HttpNode,
  StreamOptions as HttpStreamOptions,
  WebSocketOptions,
  WebTransportOptions,
} from './transports/options.ts';
export type * from './transports/row.ts';
export { TRANSPORTS } from './transports/table.ts';
export { WebSocketTransport, websocket } from './transports/websocket/websocket.ts';
export * from './transports/webtransport/endpoint.ts';
export * from './transports/webtransport/provider.ts';
export { rwebtransport } from './transports/webtransport/rwebtransport.ts';
