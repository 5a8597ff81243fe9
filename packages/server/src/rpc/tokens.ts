import { formatTimestamp } from '@msg/core/internal';
import { requireCoveredScopes } from '../auth/access/covered-scopes.ts';
import type { AccessIssuer } from '../auth/tokens/access-issuer.ts';
import type { ManagementIssuer } from '../auth/tokens/management.ts';
import type { RefreshRotation } from '../auth/tokens/refresh/rotation.ts';
import type { Revocations } from '../auth/tokens/revocation/revocations.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import type { RpcHandlers } from './call.ts';

type TokenMethods = 'RefreshToken' | 'IssueAccess' | 'IssueMgmt' | 'RevokeToken' | 'RevokeUser';

export interface TokenHandlerParts {
  readonly rotation: RefreshRotation;
  readonly accessIssuer: AccessIssuer;
  readonly management: ManagementIssuer;
  readonly revocations: Revocations;
  readonly limits: RateLimits;
}

/** Handlers of the token group. */
export function tokenHandlers(parts: TokenHandlerParts): Pick<RpcHandlers, TokenMethods> {
  const { rotation, accessIssuer, management, revocations, limits } = parts;
  return {
    async RefreshToken({ refresh_token }, { peer }) {
      await limits.take('token-issue', peer);
      return rotation.refresh(refresh_token);
    },
    IssueAccess(request, { principal }) {
      requireCoveredScopes(principal, request.scopes);
      return accessIssuer.issue({
        subject: request.subject,
        scopes: request.scopes,
        ttlMs: request.ttl_seconds * 1000,
        refresh: request.refresh,
        sessionTtlMs: request.session_ttl_seconds * 1000,
        allowManage: request.allow_manage,
      });
    },
    IssueMgmt({ subject, ttl_seconds }) {
      const { token, expiresUnix, kid } = management.issue(subject, ttl_seconds * 1000);
      return {
        mgmt_token: token,
        expires_unix: expiresUnix,
        expires_at: formatTimestamp(expiresUnix * 1000),
        signed_by_key_id: kid,
      };
    },
    async RevokeToken({ token_id, reason }) {
      await revocations.revokeToken(token_id, reason);
      return {};
    },
    async RevokeUser({ user_id }) {
      await revocations.revokeUser(user_id);
      return {};
    },
  };
}
