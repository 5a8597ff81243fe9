import { MsgError } from '@msg/core';
import { coversScope } from '@msg/core/internal';
import { type ScopeRequest, scopeClaim } from '../tokens/scope-request.ts';
import type { Principal } from './principal.ts';

/**
 * Checks that a bearer with grants issues no wider scopes than these.
 * @throws MsgError MSG_INVALID_ARGUMENT for a malformed scope, MSG_AUTH_DENIED for a scope that the principal's grants do
 * not cover. Source: app-developers 1, "grants".
 */
export function requireCoveredScopes(principal: Principal, scopes: readonly ScopeRequest[]): void {
  if (principal.kind === 'anonymous' || principal.token.claims.scopes === undefined) return;
  const { grants } = principal.token;
  const wider = scopes.map(scopeClaim).find(scope => !coversScope(grants, scope));
  if (wider === undefined) return;
  const verbs = [...new Set(['manage', ...wider.v])].join(', ');
  throw new MsgError(
    'MSG_AUTH_DENIED',
    `issuing scope ${wider.pat} is not allowed: no grant of the bearer covers it with ${verbs}`,
  );
}
