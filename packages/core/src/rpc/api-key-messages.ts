import { flag, int32, int64, list, message, nullable, text } from '@msg/foundation/shape';

// Messages of the API key group. Member names are the wire's.

/** The rights of an API key in the channels of a pattern. */
const apiKeyGrant = message({ pattern: text, verbs: list(text) });

export const createApiKeyRequest = message({
  name: text,
  /** `viewer`, `operator` or `admin`, the default. */
  role: text,
  /** Empty: the rights of the caller. */
  grants: list(apiKeyGrant),
  /** 0: without an end. */
  ttl_seconds: int64,
});
/** `key` is shown once. */
export const apiKeyResponse = message({ name: text, key: text, id: text });

const apiKeySecret = message({
  /** Position among the secrets of the key. */
  slot: int32,
  /** The id in the text of a generated key; empty for any other key. */
  id: text,
  /** RFC 3339; empty: with the key. */
  expires_at: text,
  /** Last use at the answering node, RFC 3339; empty: not since its start. */
  last_used_at: text,
});
const apiKeySummary = message({
  name: text,
  role: text,
  /** Declared in the configuration: RPC calls cannot rotate or revoke it. */
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
