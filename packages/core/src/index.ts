export type { Field, Infer, Message, UnknownMember } from '@msg/foundation/shape';
export type { Situation, SituationName } from './advice/situations.ts';
export { type ChannelName, isValidName, parseName, type Visibility } from './channel-name.ts';
export { CODE_TABLE, type CodeRow, isMsgCode, type MsgCode, type TwirpCode } from './codes.ts';
export type { Envelope, EnvelopeKind } from './envelope.ts';
export { isMsgError, MsgError, type MsgErrorOptions } from './errors.ts';
export type { ScopeClaim, Verb } from './grants.ts';
export type * from './manifest.ts';
export type { JsonValue, PublishPayload } from './payload.ts';
export * from './rpc/client.ts';
export type {
  ChannelSummary,
  CreatedCredentials,
  Credentials,
  DlqItem,
  KeySummary,
  RefreshTokenResponse,
  Scope,
} from './rpc/messages.ts';
export {
  METHODS,
  type MethodAccess,
  type RpcMethod,
  type RpcMethodName,
  type RpcMethods,
  type RpcRequest,
  type RpcResponse,
} from './rpc/methods.ts';
export { type IssueToken, renewing, type TokenSource } from './rpc/renewing.ts';
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
