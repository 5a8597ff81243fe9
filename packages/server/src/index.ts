export type {
  AppendEnd,
  AppendFormat,
  AppendStatus,
  AppendStreamOptions,
  AppendStreamResult,
  AppendWriter,
  Aspect,
  ChannelPattern,
  CompatibilityReport,
  CompleteOptions,
  CreatedCredentials,
  Credentials,
  Envelope,
  EnvelopeKind,
  JsonValue,
  KeySummary,
  ManifestPayload,
  ManifestRateLimit,
  MsgErrorOptions,
  PayloadSchema,
  PayloadType,
  PipeOptions,
  PublishPayload,
  RefreshTokenResponse,
  ResumedContent,
  ResumeStreamOptions,
  Role,
  SchemaAcl,
  SchemaChange,
  SchemaDifference,
  SchemaSnapshot,
  ScopeClaim,
  TwirpCode,
  Verb,
  Visibility,
  WriterSink,
  Written,
  WrittenSource,
} from '@msg/core';
export {
  type CodeRow,
  isMsgError,
  type MsgCode,
  MsgError,
  type Situation,
  type SituationName,
} from '@msg/core';
export type { StreamPosition } from '@msg/engine';
export type { Clock, Random, TimerHandle } from '@msg/foundation/clock';
export type { MaybePromise } from '@msg/foundation/promises';
export type { ApiRpc } from './api/commands/rpc.ts';
export type { ApiOptions } from './api/options.ts';
export type { AuditFilter, AuditPage, AuditQuery, AuditStore } from './audit/contract.ts';
export type { AuditOptions } from './audit/options.ts';
export type { AuditRecord, AuditVia } from './audit/record.ts';
export type {
  AuthorizationAnswer,
  AuthorizationPrincipal,
  AuthorizationRequest,
  CustomAuthorizer,
} from './auth/access/custom-authorizer.ts';
export type { OidcGrant, OidcOptions, OidcRole } from './auth/access/oidc/options.ts';
export type { ApiKeyReader, ApiKeySummary } from './auth/api-keys/api-keys.ts';
export type { CreatedApiKey } from './auth/api-keys/changes.ts';
export type { ApiKeyOptions } from './auth/api-keys/declared.ts';
export type { ApiKeyGrant, ApiKeyRecord, ApiKeySecret } from './auth/api-keys/record.ts';
export type { ApiKeyStore, StoredApiKey } from './auth/api-keys/store/contract.ts';
export { FileApiKeyStore } from './auth/api-keys/store/file.ts';
export { MemoryApiKeyStore } from './auth/api-keys/store/memory.ts';
export {
  type KeyringDocument,
  KeyringFormatError,
  keySetDocument,
  parseKeyring,
} from './auth/keys/document.ts';
export type { KeyRole } from './auth/keys/key-set.ts';
export { KeySet, type SigningKey } from './auth/keys/key-set.ts';
export type { KeyMaterial, KeyringEntry, PublicJwk } from './auth/keys/material.ts';
export { KeyringConflict, type KeyringStore, type StoredKeySet } from './auth/keys/store/contract.ts';
export { FileKeyringStore } from './auth/keys/store/file.ts';
export type { IssueAccessRequest } from './auth/tokens/access-issuer.ts';
export type { RateClaim, TokenClaims, TokenType } from './auth/tokens/claims.ts';
export type { ManagementBounds, ManagementToken } from './auth/tokens/management.ts';
export type { CreatePrivateRequest } from './auth/tokens/private-channels.ts';
export type { RedemptionStore } from './auth/tokens/refresh/contract.ts';
export { MemoryRedemptionStore } from './auth/tokens/refresh/memory.ts';
export type { RevocationEntry, RevocationStore } from './auth/tokens/revocation/contract.ts';
export { MemoryRevocationStore } from './auth/tokens/revocation/memory.ts';
export type { ScopeRequest } from './auth/tokens/scope-request.ts';
export type { JournaledStore, SecurityEntry, SecurityJournal } from './auth/tokens/security-log/contract.ts';
export type { KeyUsageStore, UsageTable } from './auth/usage/contract.ts';
export type { AppendChannelOptions } from './channels/append-options.ts';
export type { ChannelOptions, ChannelRule } from './channels/channel-options.ts';
export type { DeclaredChannel } from './channels/declared.ts';
export type { LifecycleEvent, LifecycleSubscription } from './channels/lifecycle-feed.ts';
export type { ChannelsOptions, OpenChannel } from './channels/options.ts';
export type { ChannelRecord, ChannelState } from './channels/record.ts';
export type { ChannelRegistry, CloseResult, DeleteResult, OpenResult } from './channels/registry/contract.ts';
export type { RunningSetting } from './config/running-setting.ts';
export type { ConsoleOidcOptions, ConsoleOptions } from './console/options.ts';
export type {
  ConsoleSessionStore,
  SessionEnd,
  SessionRecord,
  SessionState,
  StoredSession,
} from './console/sessions/contract.ts';
export type { AccessLogOptions, RouteOptions, WebTransportOptions } from './http/options.ts';
export type { ListeningAddress } from './http/own-servers.ts';
export { HTTP_TIMEOUTS } from './http/timeouts.ts';
export { Msg } from './msg.ts';
export type * from './notify/dead-letters/contract.ts';
export type { DeadLetters, ReplayAnswer, ReplayOutcome } from './notify/dead-letters/dead-letters.ts';
export type { DiscardSelection, Discards } from './notify/dead-letters/discards.ts';
export type * from './notify/dead-letters/jobs/contract.ts';
export { MemoryDeadLetterQueue } from './notify/dead-letters/memory.ts';
export type { LetterFilter, LetterGroup, LetterPage } from './notify/dead-letters/pages.ts';
export type { SendContext, Sink, SinkMessage } from './notify/sinks/contract.ts';
export { type EmailOptions, type EmailRecipient, EmailSink } from './notify/sinks/email/sink.ts';
export { recipientGone, SinkFailure, terminal, transient } from './notify/sinks/failure.ts';
export type { SinkFetch } from './notify/sinks/http/http-post.ts';
export type { DeliveryOutcome, PublishOrSinkResult } from './notify/sinks/publish-or-sink.ts';
export type { SinkRegistry } from './notify/sinks/registry.ts';
export type { RetryPolicy, RetrySettings, SinkRetryOptions } from './notify/sinks/retry-policy.ts';
export type { Attempts, DeliveredVia, GoneRecipient, RetryingSink } from './notify/sinks/retrying.ts';
export * from './notify/sinks/sink-kind.ts';
export { type SlackOptions, SlackSink } from './notify/sinks/slack/sink.ts';
export type { ResolveHost } from './notify/sinks/webhook/public-fetch.ts';
export { SIGNATURE_HEADER, type SignedWebhook, verifyWebhook } from './notify/sinks/webhook/signature.ts';
export { type WebhookOptions, type WebhookRecipient, WebhookSink } from './notify/sinks/webhook/sink.ts';
export type { PushAnswer, PushFetch } from './notify/sinks/webpush/push-fetch.ts';
export type { Urgency, WebPushRecipient } from './notify/sinks/webpush/recipient.ts';
export { type WebPushOptions, WebPushSink } from './notify/sinks/webpush/sink.ts';
export { generateVapidKeys, type VapidKeys } from './notify/sinks/webpush/vapid.ts';
export type { HttpRequestRecord } from './observability/http-request-line.ts';
export type { LogFields, Logger } from './observability/logger.ts';
export type { OutboxOptions } from './outbox/options.ts';
export type { PublishAck } from './publishing/pipeline.ts';
export type { PublishExtras } from './publishing/publication.ts';
export type {
  BroadcastOutcome,
  PublishItem,
  PublishManyOptions,
  PublishOutcome,
} from './publishing/publish-many.ts';
export type { RateDecision, RateLimiter } from './rate-limits/contract.ts';
export type { RateLimit } from './rate-limits/limit.ts';
export type { PublishRule } from './rate-limits/publish-rules.ts';
export type { RateLimitOptions } from './rate-limits/rate-limits.ts';
export type { ClientRpc } from './realtime/client-rpc.ts';
export type { SchemaMatch } from './schemas/index-of-patterns.ts';
export type { SchemaRegistry, SchemaUpdate } from './schemas/registry.ts';
export type { SchemaHistory, SchemaStep, SchemaStore, StoredSchemas } from './schemas/store/contract.ts';
export type { ValidationMode, ValidationRule } from './schemas/validation.ts';
export type { MsgLimits, PingOptions } from './service/engine-limits.ts';
export type { ApiKeyGroup, NewApiKeyOptions } from './service/groups/api-key-group.ts';
export type { ChannelGroup } from './service/groups/channel-group.ts';
export type { KeyGroup } from './service/groups/key-group.ts';
export type { TokenGroup } from './service/groups/token-group.ts';
export type { ListenOptions, MsgOptions, StartOptions } from './service/options.ts';
export type {
  ClusterBus,
  ClusterEvents,
  EngineBackends,
  StoreBackend,
  StoreContext,
  Stores,
} from './stores/contract.ts';
export type { RedisOptions } from './stores/redis/options.ts';
export type { SubsystemState, SubsystemStates } from './stores/subsystem-state.ts';
