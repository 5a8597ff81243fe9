import { type Clock, systemClock } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { decodeBase64 } from '../base64.ts';

/** Calls IssueMgmt for a management token of a subject, with a token. */
export type IssueToken = (token: string, subject: string) => Promise<string>;

/** Returns the bearer of a call; `issue` calls the client's service. */
export type TokenSource = (issue: IssueToken) => string | Promise<string>;

interface TokenLife {
  readonly subject: string;
  /** Unix milliseconds. */
  readonly renewAtMs: number;
  readonly expiresAtMs: number;
}

/** A token with unreadable claims is renewed at its first use, and used until the service refuses it. */
const UNREADABLE: TokenLife = { subject: '', renewAtMs: 0, expiresAtMs: Number.POSITIVE_INFINITY };

/** The unverified claims of a token. */
function lifeOf(token: string): TokenLife {
  const bytes = decodeBase64(token.split('.')[1] ?? '') ?? new Uint8Array(0);
  const escaped = Array.from(bytes, byte => `%${byte.toString(16).padStart(2, '0')}`);
  let claims: unknown;
  try {
    claims = JSON.parse(decodeURIComponent(escaped.join('')));
  } catch {
    return UNREADABLE;
  }
  if (!isRecord(claims)) return UNREADABLE;
  const { sub, iat, exp } = claims;
  if (typeof iat !== 'number' || typeof exp !== 'number') return UNREADABLE;
  const subject = typeof sub === 'string' ? sub : '';
  return { subject, renewAtMs: ((iat + exp) / 2) * 1000, expiresAtMs: exp * 1000 };
}

/**
 * A management token that renews itself: after half of its lifetime a call requests the next one from IssueMgmt, one
 * request at a time; calls use the old token until the new one arrives. When the token has expired and the renewal fails,
 * calls reject with its error. For services without API keys. Source: the application developer's side, section 1.
 * @param bootstrap a management token, such as the one that `msg serve` prints
 */
export function renewing(bootstrap: string, clock: Pick<Clock, 'now'> = systemClock): TokenSource {
  let token = bootstrap;
  let life = lifeOf(bootstrap);
  let renewal: Promise<void> | undefined;
  const renew = async (issue: IssueToken): Promise<void> => {
    try {
      token = await issue(token, life.subject);
      life = lifeOf(token);
    } finally {
      renewal = undefined;
    }
  };
  return async issue => {
    const now = clock.now();
    if (now < life.renewAtMs) return token;
    renewal ??= renew(issue);
    if (now < life.expiresAtMs)
      renewal.catch(() => {}); // the next call tries again
    else await renewal;
    return token;
  };
}
