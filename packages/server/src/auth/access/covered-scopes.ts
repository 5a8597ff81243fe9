import { MsgError, type Role } from '@msg/core';
import { coversRole, coversScope, VERBS } from '@msg/core/internal';
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

/** Every channel with every verb: the rights of a bearer without scopes. */
const EVERYTHING: readonly ScopeRequest[] = ['public:**', 'private:**'].map(pattern => ({
  pattern,
  verbs: VERBS,
}));

/**
 * Checks that a bearer issues no management token with a higher role or wider scopes than its own.
 * @param scopes empty: every channel
 * @throws MsgError as {@link requireCoveredScopes}, and MSG_AUTH_DENIED for a higher role
 */
export function requireNotWider(principal: Principal, role: Role, scopes: readonly ScopeRequest[]): void {
  if (principal.kind === 'anonymous') return;
  const { token } = principal;
  if (!coversRole(token.role, role))
    throw new MsgError(
      'MSG_AUTH_DENIED',
      `issuing the role ${role} is not allowed for the role ${token.role}`,
    );
  requireCoveredScopes(principal, scopes.length === 0 ? EVERYTHING : scopes);
}
