import { bool, type Infer, i32, i64, json, list, message, optional, str, stringMap, u64 } from './fields.ts';
import { publishData } from './publish-data.ts';

// Messages of the RPC (messaging details, section 2). Member names are the wire's.

export const empty = message({});

export const channelRef = message({ name: str });

const scope = message({ pattern: str, verbs: list(str), deny: bool });
export type Scope = Infer<typeof scope>;

const channelSummary = message({
  name: str,
  /** `open`, `closed` or `deleted`. */
  state: str,
  ttl_seconds: i64,
  /** RFC 3339. */
  created_at: str,
  last_active: str,
  visibility: str,
});
export type ChannelSummary = Infer<typeof channelSummary>;

export const openPublicRequest = message({ name: str, ttl_seconds: i64 });
export const channelResponse = message({ channel: optional(channelSummary) });
export const listChannelsResponse = message({ channels: list(channelSummary) });

export const createPrivateRequest = message({
  name: str,
  ttl_seconds: i64,
  subject: str,
  scopes: list(scope),
});

export const credentials = message({
  name: str,
  access_token: str,
  refresh_token: str,
  access_expires_unix: i64,
  refresh_expires_unix: i64,
});
export type Credentials = Infer<typeof credentials>;

export const publishRequest = message({
  name: str,
  data: publishData,
  tags: stringMap,
  idempotency_key: str,
});
export const publishResponse = message({ offset: u64, epoch: str });
export const presenceResponse = message({ subscribers: i32 });

const sinkMessage = message(
  { subject: str, body: str, metadata: stringMap },
  { subject: ['Subject'], body: ['Body'], metadata: ['Metadata'] },
);

export const publishOrSinkRequest = message({
  name: str,
  data: publishData,
  sink: str,
  /** In the sink's own form. */
  recipient: json,
  message: sinkMessage,
});
export const publishOrSinkResponse = message({
  /** `published` to live subscribers, `sent` through the sink, or `parked` as a dead letter. */
  outcome: str,
  delivered: bool,
  /** `channel`, `sink` or `dlq`. */
  via: str,
  offset: u64,
  epoch: str,
});

const dlqItem = message({
  id: str,
  sink: str,
  channel: str,
  /** In the form of the sink's kind; `null` without a recipient. */
  recipient: json,
  message: sinkMessage,
  last_error: str,
  /** Sends made so far. */
  attempts: i32,
  /** RFC 3339. */
  parked_at: str,
  /** Same value as `parked_at`. */
  at: str,
  /** Copies of the message's members. */
  subject: str,
  body: str,
  metadata: stringMap,
});
export type DlqItem = Infer<typeof dlqItem>;

export const dlqListRequest = message({ sink: str, limit: i32 });
export const dlqListResponse = message({ items: list(dlqItem) });
export const dlqCountRequest = message({ sink: str });
export const dlqCountResponse = message({ count: i32 });
export const dlqRef = message({ id: str });
/** `sent`; `parked` when it failed again; `running` while its retries go on. */
export const dlqReplayResponse = message({ outcome: str });

export const explainAccessRequest = message({ name: str, verb: str, token: str });
export const explainAccessResponse = message({
  allowed: bool,
  code: str,
  decided_by: str,
  detail: str,
  channel_state: str,
});

export const refreshTokenRequest = message({ refresh_token: str });
export const refreshTokenResponse = message({
  access_token: str,
  /** Expiry of the access token, RFC 3339. */
  expires_at: str,
  access_expires_unix: i64,
  refresh_token: str,
  refresh_expires_unix: i64,
  rotated: bool,
});
export type RefreshTokenResponse = Infer<typeof refreshTokenResponse>;

export const issueMgmtRequest = message({ subject: str, ttl_seconds: i64 });
export const issueMgmtResponse = message({
  mgmt_token: str,
  expires_unix: i64,
  expires_at: str,
  signed_by_key_id: str,
});

export const keySummary = message({
  id: str,
  /** Same value as `id`. */
  kid: str,
  /** `active`, `verify-only` or `retired`. */
  role: str,
  created_at: str,
  /** `""` when not retired. */
  retired_at: str,
  alg: str,
  fingerprint: str,
});
export type KeySummary = Infer<typeof keySummary>;

export const listKeysResponse = message({ active_key_id: str, keys: list(keySummary) });
export const generateKeyRequest = message({ alg: str });
export const keyRef = message({ id: str }, { id: ['kid'] });

/** A channel pattern as JSON; the registry reads it strictly (messaging details 14.1). */
export const schemaRequest = message({ schema: json });
export const schemaRef = message({ pattern: str });
export const getSchemaRequest = message({ pattern: str, channel: str });
export const listSchemasResponse = message({ patterns: list(json), at: str });
export const getSchemaResponse = message({ schema: json, bindings: stringMap, history: list(json) });
export const schemaResponse = message({ schema: json });
/** Kind: `additive` or `breaking`. */
const schemaDifference = message({ path: str, kind: str, text: str });
export const compatibilityResponse = message({ compatible: bool, changes: list(schemaDifference) });
export const updateSchemaResponse = message({
  schema: json,
  compatible: bool,
  changes: list(schemaDifference),
});

export const revokeTokenRequest = message({ token_id: str, user_id: str, reason: str });
export const revokeUserRequest = message({ user_id: str, reason: str });
