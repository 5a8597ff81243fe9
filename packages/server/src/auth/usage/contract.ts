import type { TokenType } from '../tokens/claims.ts';

/** What is remembered of a key, as moments in Unix milliseconds, or 0. */
export type UsageMoment =
  | `issued.${TokenType}`
  | `seen.${TokenType}`
  | 'created'
  | 'recorded'
  | 'promoted'
  | 'demoted'
  | 'retired';

/** Moments by `<kid> <what>`, and `since`, the begin of the record. They are only raised, but for `since`. */
export type UsageTable = ReadonlyMap<string, number>;

/** The member of a table that says since when it is kept. */
export const SINCE = 'since';

export function entryOf(kid: string, moment: UsageMoment): string {
  return `${kid} ${moment}`;
}

/** Where the use of keys outlives the process. Source: console, section 7.6. */
export interface KeyUsageStore {
  /** It is that of the process, wherever its keyring is. Default: false. */
  readonly isOfProcess?: boolean;
  /** What is stored. `since` is that of the first call of all. */
  load(now: number): Promise<UsageTable>;
  /** Raises the moments: a stored one that is later stays. */
  raise(moments: UsageTable): Promise<void>;
  /** Removes what is known of keys. */
  forget(kids: readonly string[]): Promise<void>;
}

/** The kid of an entry; undefined for {@link SINCE}. */
export function kidOf(entry: string): string | undefined {
  const space = entry.indexOf(' ');
  return space < 0 ? undefined : entry.slice(0, space);
}
