/** What is known against a token. */
export interface RevocationEntry {
  readonly tokenRevoked: boolean;
  /** Tokens of the user issued in this second or before are revoked. Unix milliseconds. */
  readonly userCutoff: number | undefined;
}

/** How long entries are kept at least; no access or refresh token lives longer than an hour. */
export const REVOCATION_RETENTION_MS = 24 * 3_600_000;

/**
 * Revoked tokens and users. Ids only, never token text. A stored entry that cannot be read counts as revoked: the
 * store answers `tokenRevoked: true`. Source: messaging details, section 8.
 */
export interface RevocationStore {
  /** Other nodes write to it too, so live subscriptions are compared with it again and again. */
  readonly shared: boolean;
  revokeToken(jti: string, reason: string): Promise<void>;
  /** A later cutoff replaces an earlier one, never the other way round. */
  revokeUser(user: string, cutoff: number): Promise<void>;
  /** `jti` and `user` may be empty; an empty one is never revoked. */
  lookup(jti: string, user: string): Promise<RevocationEntry>;
}
