import { MsgError } from '@msg/core';
import { formatDuration } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import type { TokenSigner } from './signer.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_MGMT_TTL_MS = 24 * HOUR_MS;
const MIN_MGMT_TTL_MS = HOUR_MS;
export const MAX_MGMT_TTL_MS = 7 * 24 * HOUR_MS;
const DEFAULT_MGMT_SUBJECT = 'operator';

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

  /** `subject` empty means `operator`; `ttlMs` 0 means 24 h, anything else is clamped to 1 h … 7 d. */
  issue(subject: string, ttlMs: number): ManagementToken {
    const ttl =
      ttlMs === 0 ? DEFAULT_MGMT_TTL_MS : Math.min(Math.max(ttlMs, MIN_MGMT_TTL_MS), MAX_MGMT_TTL_MS);
    return this.#sign(subject, ttl);
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

  #sign(subject: string, ttlMs: number): ManagementToken {
    const iat = Math.floor(this.#clock.now() / 1000);
    const exp = iat + Math.max(1, Math.ceil(ttlMs / 1000));
    const sub = subject === '' ? DEFAULT_MGMT_SUBJECT : subject;
    const { token, kid } = this.#signer.sign({ sub, typ: 'mgmt', iat, exp, jti: this.#signer.newId() });
    return { token, expiresUnix: exp, kid };
  }
}
