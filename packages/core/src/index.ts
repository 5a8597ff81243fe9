export type { Field, Infer, Message, UnknownMember } from '@msg/foundation/shape';
export type { Situation, SituationName } from './advice/situations.ts';
export * from './base64.ts';
export * from './channel-name.ts';
export * from './channel-view.ts';
export * from './codes.ts';
export * from './duration.ts';
export * from './envelope.ts';
export * from './errors.ts';
export * from './grants.ts';
export * from './manifest.ts';
export * from './payload.ts';
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
export * from './rpc/methods.ts';
export * from './rpc/openapi.ts';
export { MAX_PUBLICATIONS } from './rpc/publication.ts';
export { type IssueToken, renewing, type TokenSource } from './rpc/renewing.ts';
export * from './rpc/request.ts';
export * from './rpc/twirp.ts';
export * from './schemas/compatibility.ts';
export * from './schemas/pattern.ts';
export * from './schemas/read.ts';
export * from './schemas/types.ts';
export * from './schemas/validate.ts';
export * from './scope-pattern.ts';
