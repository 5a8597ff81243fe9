import type { MaybePromise } from '@msg/foundation/promises';
import type { VerifiedToken } from '../claims.ts';

/** Decides whether a token was revoked. */
export type RevocationCheck = (token: VerifiedToken) => MaybePromise<boolean>;

/** What is known against a token. */
export interface RevocationEntry {
  readonly tokenRevoked: boolean;
  /** Tokens of the user issued in this second or before are revoked. Unix milliseconds. */
  readonly userCutoff: number | undefined;
}

/**
 * Revoked tokens and users. Ids only, never token text. A stored entry that cannot be read counts as revoked: the
 * store answers `tokenRevoked: true`. Source: messaging details, section 8.
 */
export interface RevocationStore {
  /** A restart forgets what it holds. Default: it does not. */
  readonly volatile?: boolean;
  /** Other nodes write to it too, so live subscriptions are compared with it again and again. */
  readonly shared: boolean;
  /** Remembered for `keepMs` at least. */
  revokeToken(jti: string, reason: string, keepMs: number): Promise<void>;
  /** A later cutoff replaces an earlier one, never the other way round. */
  revokeUser(user: string, cutoff: number, keepMs: number): Promise<void>;
  /** `jti` and `user` may be empty; an empty one is never revoked. */
  lookup(jti: string, user: string): MaybePromise<RevocationEntry>;
}
