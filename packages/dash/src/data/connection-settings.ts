import { type JsonObject, numberMember } from '../document/json.ts';

/** How long one query may take, where the connection does not say. */
const QUERY_S = 10;
/** How long rows are fresh, where the connection does not say. */
const FRESH_S = 5;

/** What the config of a connection says about its queries (page and review 5.2). */
export interface ConnectionSettings {
  /** Milliseconds that a query may take. */
  readonly timeoutMs: number;
  /** Milliseconds for which its rows are fresh. */
  readonly freshMs: number;
  /** Seconds until a page asks again; undefined when it does not by itself. */
  readonly refresh: number | undefined;
}

export function connectionSettings(config: JsonObject): ConnectionSettings {
  const [timeout, cache, refresh] = ['timeout', 'cache', 'refresh'].map(member =>
    numberMember(config, member),
  );
  const fresh = cache ?? (refresh === undefined ? FRESH_S : refresh - 1);
  return { timeoutMs: (timeout ?? QUERY_S) * 1_000, freshMs: fresh * 1_000, refresh };
}
