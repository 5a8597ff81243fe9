/** One entry of the security log, kept until its end. It holds ids, never token texts. */
export type SecurityEntry = {
  /** `jti` of a token, user id, `fid` of a family. */
  readonly id: string;
  /** End of the entry, Unix milliseconds. */
  readonly until: number;
} & (
  | { readonly kind: 'token'; readonly reason: string }
  /** Tokens of the user issued up to the cutoff, Unix milliseconds, are revoked. */
  | { readonly kind: 'user'; readonly cutoff: number }
  | { readonly kind: 'redeemed' }
  | { readonly kind: 'family' }
);

/** Journal of a store: an entry is written before it takes effect. */
export interface SecurityJournal {
  /** Resolves when the entry is durable. Rejects with MsgError MSG_INTERNAL when it is not. */
  append(entry: SecurityEntry): Promise<void>;
}

/** A store that the log fills at the start. */
export interface JournaledStore {
  /** Applies an entry of an earlier process. Entries of other kinds are ignored. */
  apply(entry: SecurityEntry): void;
  /** The unexpired state, as entries. */
  entries(): Iterable<SecurityEntry>;
}
