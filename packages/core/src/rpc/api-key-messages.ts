import { flag, int32, int64, list, message, nullable, text } from '@msg/foundation/shape';

// Messages of the API key group. Member names are the wire's.

/** What an API key may do in the channels of a pattern. */
const apiKeyGrant = message({ pattern: text, verbs: list(text) });

export const createApiKeyRequest = message({
  name: text,
  /** `admin`, the default. */
  role: text,
  /** None: everything that the caller may do. */
  grants: list(apiKeyGrant),
  /** 0: without an end. */
  ttl_seconds: int64,
});
/** `key` is shown once. */
export const apiKeyResponse = message({ name: text, key: text, id: text });

const apiKeySecret = message({
  /** Position among the secrets of the key. */
  slot: int32,
  /** Part of the text of a generated key; empty for another one. */
  id: text,
  /** RFC 3339; empty: with the key. */
  expires_at: text,
  /** By the node that answers; empty: not since its start. */
  last_used_at: text,
});
const apiKeySummary = message({
  name: text,
  role: text,
  /** In the configuration: it cannot be rotated or revoked here. */
  declared: flag,
  grants: list(apiKeyGrant),
  /** Empty: without an end. */
  expires_at: text,
  secrets: list(apiKeySecret),
});
export const listApiKeysResponse = message({ keys: list(apiKeySummary) });
/** `overlap_seconds` absent: a day. */
export const rotateApiKeyRequest = message({ name: text, overlap_seconds: nullable(int64) });
export const apiKeyRef = message({ name: text });
