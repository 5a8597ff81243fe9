import type { MaybePromise } from '@msg/foundation/promises';
import type { VerifiedToken } from '../claims.ts';

/** Decides whether a token was revoked. */
export type RevocationCheck = (token: VerifiedToken) => MaybePromise<boolean>;

/** The revocations that apply to a token. */
export interface RevocationEntry {
  readonly tokenRevoked: boolean;
  /** Tokens of the user issued in this second or before are revoked. Unix milliseconds. */
  readonly userCutoff: number | undefined;
}

/**
 * Revoked tokens and users. It holds ids, never token texts. An unreadable stored entry counts as revoked: the store
 * returns `tokenRevoked: true`. Source: messaging details, section 8.
 */
export interface RevocationStore {
  /** True for a store that a restart empties. Default: false. */
  readonly volatile?: boolean;
  /** When a volatile store was emptied, Unix milliseconds; absent: when this process, or thread, started. */
  readonly emptySince?: number;
  /** Other nodes write to it too, so live subscriptions are checked against it periodically. */
  readonly shared: boolean;
  /** Changes with every revocation by this process, where several threads of it use the store; absent: one does. */
  readonly version?: number;
  /** Revokes a token for at least `keepMs`. */
  revokeToken(jti: string, reason: string, keepMs: number): Promise<void>;
  /** Revokes a user's tokens up to `cutoff`; only a later cutoff replaces an earlier one. */
  revokeUser(user: string, cutoff: number, keepMs: number): Promise<void>;
  /** `jti` and `user` may be empty; an empty one is never revoked. */
  lookup(jti: string, user: string): MaybePromise<RevocationEntry>;
}
