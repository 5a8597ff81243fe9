import type { Role, ScopeClaim } from '@msg/core';
import type { MaybePromise } from '@msg/foundation/promises';

/** Sign-ins at the identity provider that are remembered. */
export const MAX_LOGINS = 1000;

/** Why a session has ended; `session`: it is not known. */
export type SessionEnd = 'session' | 'idle' | 'expired' | 'key' | 'revoked' | 'signed-out';

/** What a session remembers of the credential that began it; never its text. Times are Unix milliseconds. */
export interface SessionRecord {
  readonly subject: string;
  readonly role: Role;
  /** Absent: every channel. */
  readonly scopes?: readonly ScopeClaim[];
  /** The key that signed the token, with its fingerprint; both empty for one of the identity provider. */
  readonly kid: string;
  readonly fingerprint: string;
  readonly jti?: string;
  /** Begin of the token, Unix seconds: a user that is revoked later ends the session. */
  readonly iat: number;
  readonly createdAt: number;
  /** The session ends then at the latest. */
  readonly endsAt: number;
}

/** What changes while a session lasts. */
export interface SessionState {
  /** The last call. */
  readonly usedAt: number;
  /** Methods that change something are allowed until then. */
  readonly writesUntil: number;
  /** Absent: it has not ended. */
  readonly ended?: SessionEnd;
}

/** A session as a store keeps it. */
export interface StoredSession extends SessionRecord, SessionState {}

/**
 * The sessions of the console and its sign-ins that have begun, by the hash of the text in the cookie. Every implementation passes
 * `CONSOLE_SESSION_CONTRACT`. Operations reject only when the store fails. Source: console, section 4.3.
 */
export interface ConsoleSessionStore {
  /** True for a store that a restart empties. Default: false. */
  readonly volatile?: boolean;
  /** Adds a session, which is forgotten after `keepMs` without a change. */
  create(id: string, session: StoredSession, keepMs: number): MaybePromise<void>;
  get(id: string): MaybePromise<StoredSession | undefined>;
  /** Changes single members, and nothing for an id that is not known. One that ends no longer counts. */
  change(id: string, change: Partial<SessionState>, keepMs: number): MaybePromise<void>;
  /** Sessions that have not ended at this time. */
  count(now: number): MaybePromise<number>;
  /** Sessions that have not ended at this time, by the key of their token, of those that were used since then. */
  countByKey(now: number, usedSince: number): MaybePromise<ReadonlyMap<string, number>>;
  /** Ids of the subject's sessions that have not ended at this time, the oldest first. */
  ofSubject(subject: string, now: number): MaybePromise<readonly string[]>;
  /** Keeps what a sign-in needs at its end, in place of the oldest one above 1,000. */
  keepLogin(id: string, login: string, keepMs: number): MaybePromise<void>;
  /** Answers it, exactly once. */
  takeLogin(id: string): MaybePromise<string | undefined>;
}

/** How many sessions rest on each key; those of an identity provider rest on none. */
export function countedByKey(
  sessions: readonly (StoredSession | undefined)[],
  usedSince: number,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const session of sessions) {
    if (session === undefined || session.ended !== undefined || session.kid === '') continue;
    if (session.usedAt >= usedSince) counts.set(session.kid, (counts.get(session.kid) ?? 0) + 1);
  }
  return counts;
}
