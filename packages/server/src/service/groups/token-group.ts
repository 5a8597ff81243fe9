import type { Credentials, RefreshTokenResponse } from '@msg/core';
import type { AccessIssuer, IssueAccessRequest } from '../../auth/tokens/access-issuer.ts';
import type { TokenClaims, TokenType } from '../../auth/tokens/claims.ts';
import type { ManagementBounds, ManagementIssuer, ManagementToken } from '../../auth/tokens/management.ts';
import type { RefreshRotation } from '../../auth/tokens/refresh/rotation.ts';
import type { Revocations } from '../../auth/tokens/revocation/revocations.ts';
import type { TokenVerifier } from '../../auth/tokens/verifier.ts';

/** The parts of {@link TokenGroup}. */
export interface TokenGroupParts {
  readonly verifier: TokenVerifier;
  readonly accessIssuer: AccessIssuer;
  readonly management: ManagementIssuer;
  readonly rotation: RefreshRotation;
  readonly revocations: Revocations;
}

/** The tokens of a service: `msg.tokens`. */
export class TokenGroup {
  readonly #parts: TokenGroupParts;

  constructor(parts: TokenGroupParts) {
    this.#parts = parts;
  }

  /**
   * Exchanges a refresh token for a new pair; each token works once.
   * @throws MsgError MSG_INVALID_ARGUMENT, MSG_AUTH_EXPIRED, MSG_AUTH_DENIED, MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED
   */
  refresh(refreshToken: string): Promise<RefreshTokenResponse> {
    return this.#parts.rotation.refresh(refreshToken);
  }

  /**
   * Issues tokens for a user's session by scopes, without a channel; `name` of the answer is empty. Private channels of
   * the scopes must be open when they are used.
   * @throws MsgError MSG_INVALID_ARGUMENT for an invalid subject, scope or lifetime, and for `manage` without
   * `allowManage`. Source: app-developers 5.
   */
  async issueAccess(request: IssueAccessRequest): Promise<Credentials> {
    return this.#parts.accessIssuer.issue(request);
  }

  /**
   * Issues a management token. An empty subject means `operator`; the lifetime is clamped to 1 h … 7 d, 0 means 24 h.
   * @throws MsgError MSG_INVALID_ARGUMENT for a role that does not exist and for an invalid scope
   */
  issueManagement(subject = '', ttlMs = 0, bounds: ManagementBounds = {}): ManagementToken {
    return this.#parts.management.issue(subject, ttlMs, bounds);
  }

  /**
   * Issues the management token of a start, whose lifetime is not clamped. @throws MsgError MSG_INVALID_ARGUMENT for a
   * lifetime that is not positive
   */
  issueBootstrap(subject: string, ttlMs: number): ManagementToken {
    const bootstrap = this.#parts.management.bootstrap(subject, ttlMs);
    this.#parts.revocations.cover(ttlMs);
    return bootstrap;
  }

  /**
   * Verifies a token of that type and returns its claims, without a check for revocation. @throws MsgError
   * MSG_AUTH_EXPIRED, MSG_AUTH_DENIED
   */
  verify(type: TokenType, token: string): TokenClaims {
    return this.#parts.verifier.verify(type, token).claims;
  }

  /** Revokes one token by its `jti`. @throws MsgError MSG_INVALID_ARGUMENT without a revocation store */
  revoke(tokenId: string, reason?: string): Promise<void> {
    return this.#parts.revocations.revokeToken(tokenId, reason);
  }

  /** Revokes all earlier tokens of a user. @throws MsgError MSG_INVALID_ARGUMENT without a revocation store */
  revokeUser(userId: string): Promise<void> {
    return this.#parts.revocations.revokeUser(userId);
  }
}
