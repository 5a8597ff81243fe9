import {
  anyJson,
  type Field,
  flag,
  type Infer,
  int32,
  int64,
  list,
  mapOf,
  message,
  nullable,
  text,
  textMap,
  uint64,
  unlessZero,
} from '@msg/foundation/shape';
import { PUBLICATION_EXTRAS, publicationMessage } from './publication.ts';

// Messages of the RPC (messaging details, section 2). Member names are the wire's.

export const empty = message({});

export const channelRef = message({ name: text });

/** A live node that an answer lacks: it was `silent`, its answer `failed`, or its `version` does not know the question. */
export const missingNode = message({ node: text, reason: text });

export const scope = message({ pattern: text, verbs: list(text), deny: flag });
/** A pattern of channels with the allowed or denied verbs. */
export type Scope = Infer<typeof scope>;

export const channelSummary = message({
  name: text,
  /** `open`, `closed` or `deleted`. */
  state: text,
  ttl_seconds: int64,
  /** RFC 3339. */
  created_at: text,
  last_active: text,
  visibility: text,
});
/** A channel in the form of the RPC. */
export type ChannelSummary = Infer<typeof channelSummary>;

export const openPublicRequest = message({ name: text, ttl_seconds: int64 });
export const channelResponse = message({ channel: nullable(channelSummary) });
/** An empty text is not sent: an older service may not know the member. */
const textIfAny = unlessZero(text);

export const listChannelsRequest = message({
  /** A scope pattern, of any visibility with `*:`; empty: every channel. */
  pattern: textIfAny,
  /** A part of the name, at most 64 bytes. */
  query: textIfAny,
  /** `open` or `closed`; empty: both. */
  state: textIfAny,
  /** `public` or `private`; empty: both. */
  visibility: textIfAny,
  /** `name`, the default, `last_active`, `created_at` or `subscribers`. */
  sort: textIfAny,
  descending: unlessZero(flag),
  /** At most 1,000; 0: 100, and without any member of this request all. */
  limit: unlessZero(int32),
  cursor: textIfAny,
  /** Count the subscribers of the page; the limit is at most 200 then. */
  counts: unlessZero(flag),
});
export const listChannelsResponse = message({
  channels: list(channelSummary),
  /** Empty on the last page, and where rows move: by last_active and by subscribers. */
  next_cursor: text,
  /** Matches on all pages; -1: not known. */
  total: int64,
  /** When the records were read; states are later, RFC 3339. */
  as_of: text,
  /** Subscribers by name, where they were counted. */
  subscribers: mapOf(int32),
  /** Nodes whose subscribers are not counted. */
  missing_nodes: list(missingNode),
});

export const createPrivateRequest = message({
  name: text,
  ttl_seconds: int64,
  subject: text,
  scopes: list(scope),
  /** `error`, the default, or `reuse`. */
  if_exists: textIfAny,
});

const CREDENTIALS = {
  name: text,
  access_token: text,
  refresh_token: text,
  access_expires_unix: int64,
  refresh_expires_unix: int64,
} as const;
export const credentials = message(CREDENTIALS);
/** A pair of tokens with their expiries in Unix seconds. */
export type Credentials = Infer<typeof credentials>;

export const createPrivateResponse = message({
  ...CREDENTIALS,
  /** True for a new channel. */
  created: flag,
});
/** Tokens of a private channel, and whether the call created it. */
export type CreatedCredentials = Infer<typeof createPrivateResponse>;

/** A flag that is on unless it is `false`. */
const onByDefault: Field<boolean> = {
  ...flag,
  zero: () => true,
  schema: () => ({ type: 'boolean', default: true }),
};

export const issueAccessRequest = message({
  subject: text,
  scopes: list(scope),
  /** Lifetime of the access token; 0: as configured. */
  ttl_seconds: int64,
  /** Whether a refresh token comes with it. */
  refresh: onByDefault,
  /** How long the session can be refreshed; 0: a day. */
  session_ttl_seconds: int64,
  /** Scopes may grant `manage`. */
  allow_manage: flag,
});

export const publishRequest = publicationMessage({ name: text, ...PUBLICATION_EXTRAS });
export const publishResponse = message({
  offset: uint64,
  epoch: text,
  /** Nothing was published: the idempotency key was used, or the version is not newer. */
  suppressed: flag,
});
/** Why one of several publications was not published. */
const publishError = message({ code: text, message: text });
const publishResult = {
  offset: uint64,
  epoch: text,
  suppressed: flag,
  error: nullable(publishError),
} as const;

export const publishManyRequest = message({
  /** 1 to 1,000. */
  items: list(publishRequest),
  /** Channels do not wait for each other. */
  parallel: flag,
  /** After a failure, later items of the same channel are skipped. */
  stop_channel_on_error: flag,
});
/** In the order of the items. */
export const publishManyResponse = message({ results: list(message(publishResult)) });

export const broadcastRequest = publicationMessage({ names: list(text), ...PUBLICATION_EXTRAS });
/** In the order of the names. */
export const broadcastResponse = message({ results: list(message({ name: text, ...publishResult })) });

export const positionResponse = message({ offset: uint64, epoch: text });
export const presenceResponse = message({ subscribers: int32 });

export const explainAccessRequest = message({
  name: text,
  verb: text,
  token: text,
  /** In place of `token`: a live connection, whose token decides. */
  client: textIfAny,
});
export const explainAccessResponse = message({
  allowed: flag,
  code: text,
  decided_by: text,
  detail: text,
  channel_state: text,
});

export const refreshTokenRequest = message({ refresh_token: text });
export const refreshTokenResponse = message({
  access_token: text,
  /** Expiry of the access token, RFC 3339. */
  expires_at: text,
  access_expires_unix: int64,
  refresh_token: text,
  refresh_expires_unix: int64,
  rotated: flag,
});
/** The answer to a refresh: a new pair. */
export type RefreshTokenResponse = Infer<typeof refreshTokenResponse>;

/** Empty scopes are not sent: an older service may not know the member. */
const scopesIfAny: Field<readonly Scope[]> = {
  ...list(scope),
  write: value => (value.length === 0 ? undefined : list(scope).write(value)),
};

export const issueMgmtRequest = message({
  subject: text,
  ttl_seconds: int64,
  /** `viewer`, `operator` or `admin`, the default. */
  role: textIfAny,
  /** Absent: those of the caller. */
  scopes: scopesIfAny,
});
export const issueMgmtResponse = message({
  mgmt_token: text,
  expires_unix: int64,
  expires_at: text,
  signed_by_key_id: text,
});

export const keySummary = message({
  id: text,
  /** Same value as `id`. */
  kid: text,
  /** `active`, `verify-only` or `retired`. */
  role: text,
  created_at: text,
  /** `""` when not retired. */
  retired_at: text,
  alg: text,
  fingerprint: text,
});
/** A signing key in the form of the RPC, without its secret. */
export type KeySummary = Infer<typeof keySummary>;

export const listKeysResponse = message({ active_key_id: text, keys: list(keySummary) });
export const generateKeyRequest = message({ alg: text });
export const keyRef = message({ id: text }, { id: ['kid'] });

/** A channel pattern as JSON; the registry reads it strictly (messaging details 14.1). */
export const schemaRequest = message({ schema: anyJson });
export const schemaRef = message({ pattern: text });
export const getSchemaRequest = message({ pattern: text, channel: text });
export const listSchemasResponse = message({ patterns: list(anyJson), at: text });
export const getSchemaResponse = message({ schema: anyJson, bindings: textMap, history: list(anyJson) });
export const schemaResponse = message({ schema: anyJson });
/** Kind: `additive` or `breaking`. */
const schemaDifference = message({ path: text, kind: text, text: text });
export const compatibilityResponse = message({ compatible: flag, changes: list(schemaDifference) });
export const updateSchemaResponse = message({
  schema: anyJson,
  compatible: flag,
  changes: list(schemaDifference),
});

export const revokeTokenRequest = message({ token_id: text, user_id: text, reason: text });
export const revokeUserRequest = message({ user_id: text, reason: text });
