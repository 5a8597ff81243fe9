export type { Field, Infer, Message, UnknownMember } from '@msg/foundation/shape';
export type { Situation, SituationName } from './advice/situations.ts';
export {
  AppendWriter,
  type AppendWriterParts,
  type ResumedContent,
  type ResumePoint,
} from './appends/append-writer.ts';
export type * from './appends/options.ts';
export type { PipeOptions, WrittenSource } from './appends/pipe.ts';
export type * from './appends/port.ts';
export { appendStream, type ResumeStreamOptions, resumeStream } from './appends/streams.ts';
export { type ChannelName, isValidName, parseName, type Visibility } from './channel-name.ts';
export { CODE_TABLE, type CodeRow, isMsgCode, type MsgCode, type TwirpCode } from './codes.ts';
export type { Envelope, EnvelopeKind } from './envelope.ts';
export { isMsgError, MsgError, type MsgErrorOptions } from './errors.ts';
export type { ScopeClaim, Verb } from './grants.ts';
export type * from './manifest.ts';
export type { JsonValue, PublishPayload } from './payload.ts';
export type { ChannelOption } from './rpc/channel-messages.ts';
export * from './rpc/client.ts';
export type { DlqItem } from './rpc/delivery-messages.ts';
export type {
  ChannelSummary,
  CreatedCredentials,
  Credentials,
  KeySummary,
  RefreshTokenResponse,
  Scope,
} from './rpc/messages.ts';
export type {
  AuditedCalls,
  AuditTarget,
  Effect,
  MethodRights,
  TargetKind,
} from './rpc/method-rights.ts';
export type { MethodAccess, RpcMethod } from './rpc/method-row.ts';
export {
  METHODS,
  type RpcMethodName,
  type RpcMethods,
  type RpcRequest,
  type RpcResponse,
} from './rpc/methods.ts';
export { type IssueToken, renewing, type TokenSource } from './rpc/renewing.ts';
export type { Role } from './rpc/roles.ts';
export type { CompatibilityReport, SchemaDifference } from './schemas/compatibility.ts';
export type {
  Aspect,
  ChannelPattern,
  PayloadSchema,
  PayloadType,
  SchemaAcl,
  SchemaChange,
  SchemaSnapshot,
} from './schemas/types.ts';
