/** One line of the security log: what must not be forgotten before its time. Ids only, never token text. */
export type SecurityEntry = {
  /** `jti` of a token, user id, `fid` of a family. */
  readonly id: string;
  /** Unix milliseconds after which it is of no use. */
  readonly until: number;
} & (
  | { readonly kind: 'token'; readonly reason: string }
  /** Tokens of the user issued up to the cutoff, Unix milliseconds, are revoked. */
  | { readonly kind: 'user'; readonly cutoff: number }
  | { readonly kind: 'redeemed' }
  | { readonly kind: 'family' }
);

/** Where a store writes what it must not forget, before it counts. */
export interface SecurityJournal {
  /** Resolves when the entry would survive a crash. @throws MsgError MSG_INTERNAL when it would not */
  append(entry: SecurityEntry): Promise<void>;
}

/** What is kept in memory of the log. */
export interface JournaledStore {
  /** Takes over an entry of an earlier process. Entries of other kinds are ignored. */
  apply(entry: SecurityEntry): void;
  /** What is not over, as entries. */
  entries(): Iterable<SecurityEntry>;
}
