import { MsgError, type Role } from '@msg/core';
import { formatDuration, isRole, ROLES } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { type ScopeRequest, scopeClaim } from './scope-request.ts';
import type { TokenSigner } from './signer.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_MGMT_TTL_MS = 24 * HOUR_MS;
const MIN_MGMT_TTL_MS = HOUR_MS;
export const MAX_MGMT_TTL_MS = 7 * 24 * HOUR_MS;
const DEFAULT_MGMT_SUBJECT = 'operator';
const MAX_SCOPES = 64;

/** The bounds of a management token; absent: none. */
export interface ManagementBounds {
  /** The methods that it opens; default `admin`: all. */
  readonly role?: Role;
  /** The channels that it is for; default: all. */
  readonly scopes?: readonly ScopeRequest[];
}

/** An issued management token. */
export interface ManagementToken {
  readonly token: string;
  /** Unix seconds. */
  readonly expiresUnix: number;
  readonly kid: string;
}

/** Issues management tokens (messaging details 6.3). */
export class ManagementIssuer {
  readonly #signer: TokenSigner;
  readonly #clock: Clock;

  constructor(signer: TokenSigner, clock: Clock) {
    this.#signer = signer;
    this.#clock = clock;
  }

  /**
   * `subject` empty means `operator`; `ttlMs` 0 means 24 h, anything else is clamped to 1 h … 7 d.
   * @throws MsgError MSG_INVALID_ARGUMENT for a role that does not exist, an invalid scope, and more than 64 scopes
   */
  issue(subject: string, ttlMs: number, bounds: ManagementBounds = {}): ManagementToken {
    const ttl =
      ttlMs === 0 ? DEFAULT_MGMT_TTL_MS : Math.min(Math.max(ttlMs, MIN_MGMT_TTL_MS), MAX_MGMT_TTL_MS);
    return this.#sign(subject, ttl, bounds);
  }

  /** The token that is printed at boot, with the configured lifetime. @throws MsgError MSG_INVALID_ARGUMENT */
  bootstrap(subject: string, ttlMs: number): ManagementToken {
    if (!(ttlMs > 0)) {
      throw new MsgError(
        'MSG_INVALID_ARGUMENT',
        `auth.mgmt_ttl: must be positive, is ${formatDuration(ttlMs)}`,
      );
    }
    return this.#sign(subject, ttlMs);
  }

  #sign(subject: string, ttlMs: number, { role, scopes = [] }: ManagementBounds = {}): ManagementToken {
    if (role !== undefined) requireRole(role);
    if (scopes.length > MAX_SCOPES)
      throw new MsgError('MSG_INVALID_ARGUMENT', `scopes must not have more than ${MAX_SCOPES} entries`);
    const claimed = scopes.length === 0 ? undefined : scopes.map(scopeClaim);
    const iat = Math.floor(this.#clock.now() / 1000);
    const exp = iat + Math.max(1, Math.ceil(ttlMs / 1000));
    const sub = subject === '' ? DEFAULT_MGMT_SUBJECT : subject;
    const jti = this.#signer.newId();
    const { token, kid } = this.#signer.sign({
      sub,
      typ: 'mgmt',
      iat,
      exp,
      ...defined({ scopes: claimed }),
      jti,
      // A token without the claim is what nodes of earlier versions know as an administrator's.
      ...defined({ role: role === 'admin' ? undefined : role }),
    });
    return { token, expiresUnix: exp, kid };
  }
}

/** @throws MsgError MSG_INVALID_ARGUMENT for a role that does not exist. */
export function requireRole(role: string, place = 'role'): asserts role is Role {
  if (isRole(role)) return;
  throw new MsgError('MSG_INVALID_ARGUMENT', `${place} must be one of ${ROLES.join(', ')}`);
}
