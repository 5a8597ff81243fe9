export type { OidcGrant, OidcOptions } from './access/oidc/options.ts';
export type { LifecycleEvent, LifecycleSubscription } from './channels/lifecycle-feed.ts';
export type { CreatePrivateRequest, ScopeRequest } from './channels/private-channels.ts';
export type { ChannelRecord, ChannelState } from './channels/record.ts';
export { VERSION } from './config/version.ts';
export type {
  DeadLetter,
  DeadLetterClaim,
  DeadLetterQueue,
  NewDeadLetter,
  ReplayFailure,
} from './dead-letters/contract.ts';
export type { DeadLetters } from './dead-letters/dead-letters.ts';
export { MemoryDeadLetterQueue } from './dead-letters/memory.ts';
export { type KeyringDocument, KeyringFormatError, parseKeyring } from './keys/document.ts';
export { KeyRing, type SigningKey } from './keys/ring.ts';
export { KeyringConflict, type KeyringStore, type StoredRing } from './keys/store/contract.ts';
export { FileKeyringStore } from './keys/store/file.ts';
export { Msg } from './msg.ts';
export type { LogFields, Logger } from './observability/logger.ts';
export type { ClientRpc, MsgOptions } from './options.ts';
export type { RateLimit } from './rate-limits/limit.ts';
export type { PublishRule } from './rate-limits/publish-rules.ts';
export type { RateLimitOptions } from './rate-limits/rate-limits.ts';
export type { ChannelOptions, ChannelRule } from './realtime/channel-options.ts';
export type { PublishAck, PublishExtras } from './realtime/publisher.ts';
export type { SchemaMatch } from './schemas/index-of-patterns.ts';
export type { SchemaRegistry, SchemaUpdate } from './schemas/registry.ts';
export type { ValidationMode, ValidationRule } from './schemas/validation.ts';
export type { SendContext, Sink, SinkMessage } from './sinks/contract.ts';
export { type EmailOptions, type EmailRecipient, EmailSink } from './sinks/email.ts';
export { SinkFailure, terminal, transient } from './sinks/failure.ts';
export type { SinkFetch } from './sinks/http-post.ts';
export type { PublishOrSinkResult } from './sinks/publish-or-sink.ts';
export type { SinkRegistry } from './sinks/registry.ts';
export type { RetrySettings, SinkRetryOptions } from './sinks/retry-policy.ts';
export type { DeliveredVia, RetryingSink } from './sinks/retrying.ts';
export { SIGNATURE_HEADER, type SignedWebhook, verifyWebhook } from './sinks/signature.ts';
export { type SlackOptions, SlackSink } from './sinks/slack.ts';
export { type WebhookOptions, type WebhookRecipient, WebhookSink } from './sinks/webhook.ts';
export type { TokenClaims, TokenType } from './tokens/claims.ts';
export type { ManagementToken } from './tokens/management.ts';
export type { RedemptionStore } from './tokens/refresh/contract.ts';
export { MemoryRedemptionStore } from './tokens/refresh/memory.ts';
export type { RevocationEntry, RevocationStore } from './tokens/revocation/contract.ts';
export { MemoryRevocationStore } from './tokens/revocation/memory.ts';
