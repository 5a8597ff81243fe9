import { formatTimestamp } from '@msg/core/internal';
import type { TokenType } from '../tokens/claims.ts';
import { MAX_MGMT_TTL_MS } from '../tokens/management.ts';

/** Whether a key may be retired: `safe`: no token depends on it. */
type Verdict = 'active' | 'safe' | 'in_use' | 'wait' | 'unknown';

/** The last moment of each type of token, Unix milliseconds, or 0. */
export type ByType = Readonly<Record<TokenType, number>>;

/** What decides about a key. */
export interface VerdictFacts {
  readonly isActive: boolean;
  /** It verifies no token any more. */
  readonly isRetired: boolean;
  /** Everything that it signed is known. */
  readonly isRecorded: boolean;
  readonly issuedUntil: ByType;
  readonly seenLast: ByType;
  readonly liveConnections: number;
  readonly liveSubscriptions: number;
  readonly liveSessions: number;
  /** When this record began: what was issued before is not known. */
  readonly recordedSince: number;
  /** A node did not answer. */
  readonly missing: readonly string[];
  readonly now: number;
}

/** What is said of a key. */
export interface KeyVerdict {
  readonly verdict: Verdict;
  /** Unix milliseconds; 0: not known, or nothing to wait for. */
  readonly waitUntil: number;
  readonly reason: string;
}

/** A token that was seen so lately may come again. */
const QUIET_MS = 3_600_000;
const TYPES: readonly TokenType[] = ['access', 'refresh', 'mgmt'];

/** Names of the kinds in texts. */
const NAMES: Readonly<Record<TokenType, string>> = {
  access: 'access tokens',
  refresh: 'refresh tokens',
  mgmt: 'management tokens',
};

function latestOf(moments: ByType): readonly [type: TokenType, moment: number] {
  return TYPES.map(type => [type, moments[type]] as const).reduce((a, b) => (b[1] > a[1] ? b : a));
}

/** Decides about a key. `safe` never comes before the last token has ended. Source: console, section 7.6. */
export function verdictOf(facts: VerdictFacts): KeyVerdict {
  const { isActive, isRetired, isRecorded, now } = facts;
  const [issuedType, issuedUntil] = latestOf(facts.issuedUntil);
  const [seenType, seenAt] = latestOf(facts.seenLast);
  const quietAt = seenAt === 0 ? 0 : seenAt + QUIET_MS;
  const waitUntil = Math.max(issuedUntil, quietAt);
  if (isRetired) return { verdict: 'safe', waitUntil: 0, reason: 'it is retired' };
  if (isActive) return { verdict: 'active', waitUntil: 0, reason: 'it signs' };
  const { liveConnections: connections, liveSubscriptions: subscriptions, liveSessions: sessions } = facts;
  if (connections + subscriptions + sessions > 0) {
    const ofConsole = sessions === 0 ? '' : `, and ${sessions} sessions of the console`;
    const reason = `${connections} connections and ${subscriptions} subscriptions rest on it now${ofConsole}`;
    return { verdict: 'in_use', waitUntil, reason };
  }
  const knownAt = facts.recordedSince + MAX_MGMT_TTL_MS;
  if (!isRecorded && now < knownAt) {
    const reason = `what it signed before ${formatTimestamp(facts.recordedSince)} is not known; the longest of it ends by then`;
    return { verdict: 'unknown', waitUntil: Math.max(waitUntil, knownAt), reason };
  }
  if (facts.missing.length > 0) {
    const reason = `no answer from ${facts.missing.join(', ')}`;
    return { verdict: 'unknown', waitUntil, reason };
  }
  if (now <= issuedUntil)
    return { verdict: 'wait', waitUntil, reason: `${NAMES[issuedType]} that it signed have not ended` };
  if (now < quietAt)
    return { verdict: 'wait', waitUntil, reason: `${NAMES[seenType]} of it came in the last hour` };
  return { verdict: 'safe', waitUntil: 0, reason: 'everything that it signed has ended' };
}
