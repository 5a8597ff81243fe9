/**
 * Which refresh tokens were redeemed, and which families are dead. Token ids only, never token text. Every operation
 * is one atomic step, also between nodes. Times are Unix milliseconds. Source: messaging details 6.5.
 */
export interface RedemptionStore {
  /** A restart forgets what it holds. Default: it does not. */
  readonly volatile?: boolean;
  /** Marks a token redeemed until it would have expired anyway; true only for the first call. */
  redeem(jti: string, expiresAt: number): Promise<boolean>;
  /** Refuses every token of the family until then. */
  revokeFamily(fid: string, until: number): Promise<void>;
  isFamilyRevoked(fid: string): Promise<boolean>;
}
