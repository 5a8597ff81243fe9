import { type Clock, systemClock } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { decodeBase64 } from '../base64.ts';

/** Asks IssueMgmt for a management token of a subject, with the token given. */
export type IssueToken = (token: string, subject: string) => Promise<string>;

/** Answers the bearer of a call; `issue` asks the service of the client that calls. */
export type TokenSource = (issue: IssueToken) => string | Promise<string>;

interface TokenLife {
  readonly subject: string;
  /** Unix milliseconds. */
  readonly renewAtMs: number;
  readonly expiresAtMs: number;
}

/** A token whose claims cannot be read is renewed at its first use, and trusted until the service refuses it. */
const UNREADABLE: TokenLife = { subject: '', renewAtMs: 0, expiresAtMs: Number.POSITIVE_INFINITY };

/** What a token says about itself; nothing is verified. */
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
 * A management token that is renewed: at half of its life a call asks IssueMgmt for the next one, one request at a time; the
 * old one is used until the new one is there. Calls go on while it lives; after that they reject with the code of the
 * renewal. For services without API keys. Source: the application developer's side, section 1.
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
