import { defined } from '@msg/foundation/json';
import type { Principal } from '../auth/access/principal.ts';
import { VerifiedToken } from '../auth/tokens/claims.ts';
import type { RevocationCheck } from '../auth/tokens/revocation/contract.ts';
import type { TokenVerifier } from '../auth/tokens/verifier.ts';

/** The credential of an operator, as another node needs it to notice its end; never its text. */
export interface Holder {
  readonly subject: string;
  readonly kid: string;
  readonly fingerprint: string;
  /** Hash of the token; empty for an API key, which its subject names. */
  readonly digest: string;
  /** Id of the session of the console that stands for the token. */
  readonly session?: string;
  readonly jti?: string;
  /** Unix seconds. */
  readonly iat: number;
  readonly exp: number;
}

/** The holder of a caller's credential; `undefined` where no bearer is asked for. */
export function holderOf(principal: Principal): Holder | undefined {
  if (principal.kind === 'anonymous') return undefined;
  const { subject, kid, fingerprint, digest, claims } = principal.token;
  const { jti, iat, exp } = claims;
  const session = principal.kind === 'management' ? principal.session : undefined;
  return { subject, kid, fingerprint, digest, iat, exp, ...defined({ jti, session }) };
}

/** Names a credential: calls with the same token, in the same session or with the same API key have the same owner. */
export function ownerOf(holder: Holder | undefined): string {
  if (holder === undefined) return '';
  return holder.session ?? (holder.digest || holder.subject);
}

/** Finds out whether the right of a holder has ended: its session or its token is over, revoked, or its key retired. */
export class HolderCheck {
  readonly #verifier: Pick<TokenVerifier, 'isKeyLive' | 'isExpired'>;
  readonly #isRevoked: RevocationCheck;
  readonly #onError: (error: unknown) => void;
  #isSessionLive: (session: string) => Promise<boolean> = async () => true;

  constructor(
    verifier: Pick<TokenVerifier, 'isKeyLive' | 'isExpired'>,
    isRevoked: RevocationCheck,
    onError: (error: unknown) => void,
  ) {
    this.#verifier = verifier;
    this.#isRevoked = isRevoked;
    this.#onError = onError;
  }

  /** A node with a console knows the sessions; the others are told of their ends. */
  checkSessions(isLive: (session: string) => Promise<boolean>): void {
    this.#isSessionLive = isLive;
  }

  /** A store that does not answer ends no right. */
  async hasEnded(holder: Holder | undefined): Promise<boolean> {
    try {
      return holder !== undefined && (await this.#hasEnded(holder));
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }

  async #hasEnded(holder: Holder): Promise<boolean> {
    const { subject, kid, fingerprint, session, iat, exp, jti } = holder;
    const claims = { sub: subject, typ: 'mgmt', iat, exp, ...defined({ jti }) } as const;
    const token = new VerifiedToken(claims, kid, fingerprint);
    if (this.#verifier.isExpired(token)) return true;
    // Tokens of the identity provider and API keys have no key of this service.
    if (fingerprint !== '' && !this.#verifier.isKeyLive(token)) return true;
    if (session !== undefined && !(await this.#isSessionLive(session))) return true;
    return this.#isRevoked(token);
  }
}
