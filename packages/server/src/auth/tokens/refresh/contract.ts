/**
 * The redeemed refresh tokens and the revoked families. It holds token ids, never token texts. Every operation is one
 * atomic step, also between nodes. Times are Unix milliseconds. Source: messaging details 6.5.
 */
export interface RedemptionStore {
  /** True for a store that a restart empties. Default: false. */
  readonly volatile?: boolean;
  /** When a volatile store was emptied, Unix milliseconds; absent: when this process, or thread, started. */
  readonly emptySince?: number;
  /** Marks a token redeemed until its expiry; true only for the first call. */
  redeem(jti: string, expiresAt: number): Promise<boolean>;
  /** Revokes every token of the family until that time. */
  revokeFamily(fid: string, until: number): Promise<void>;
  isFamilyRevoked(fid: string): Promise<boolean>;
}
