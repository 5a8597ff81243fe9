import { formatTimestamp } from '@msg/core/internal';
import { requireCoveredScopes, requireNotWider } from '../auth/access/covered-scopes.ts';
import type { AccessIssuer } from '../auth/tokens/access-issuer.ts';
import { type ManagementIssuer, requireRole } from '../auth/tokens/management.ts';
import type { RefreshRotation } from '../auth/tokens/refresh/rotation.ts';
import type { Revocations } from '../auth/tokens/revocation/revocations.ts';
import type { KeyUsage } from '../auth/usage/key-usage.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import type { RpcHandlers } from './call.ts';

type TokenMethods = 'RefreshToken' | 'IssueAccess' | 'IssueMgmt' | 'RevokeToken' | 'RevokeUser';

export interface TokenHandlerParts {
  readonly rotation: RefreshRotation;
  readonly accessIssuer: AccessIssuer;
  readonly management: ManagementIssuer;
  readonly revocations: Revocations;
  readonly limits: RateLimits;
  readonly keyUsage: Pick<KeyUsage, 'flush'>;
  /** Whether every live node knows roles. */
  readonly roleSupport: { require(): Promise<void> };
}

/** Handlers of the token group. */
export function tokenHandlers(parts: TokenHandlerParts): Pick<RpcHandlers, TokenMethods> {
  const { rotation, accessIssuer, management, revocations, limits, keyUsage, roleSupport } = parts;
  return {
    async RefreshToken({ refresh_token }, { clientAddress }) {
      await limits.take('token-issue', clientAddress);
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
    async IssueMgmt({ subject, ttl_seconds, role: asked, scopes }, { principal }) {
      const role = asked === '' ? 'admin' : asked;
      requireRole(role);
      requireNotWider(principal, role, scopes);
      if (role !== 'admin') await roleSupport.require();
      const { token, expiresUnix, kid } = management.issue(subject, ttl_seconds * 1000, { role, scopes });
      // A crash must not lose until when the key is needed.
      await keyUsage.flush().catch(() => {}); // it is tried again, and reported then
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
