import type { Role, ScopeClaim } from '@msg/core';
import { highestRole } from '@msg/core/internal';
import type { CompiledGrant, OidcRole } from './options.ts';

/** The groups of a claim: a list of texts, or one text with names separated by spaces. Commas do not separate. */
export function groupsOf(claim: unknown): ReadonlySet<string> {
  if (typeof claim === 'string') return new Set(claim.split(' ').filter(name => name !== ''));
  if (Array.isArray(claim)) return new Set(claim.filter(name => typeof name === 'string'));
  return new Set();
}

/** The scopes of all grants for these groups, in the order of the grants. */
export function scopesOf(
  groups: ReadonlySet<string>,
  grants: readonly CompiledGrant[],
): readonly ScopeClaim[] {
  return grants.filter(grant => groups.has(grant.group)).flatMap(grant => grant.scopes);
}

/** The highest role of these groups; `none` when no group has one. */
export function roleOf(groups: ReadonlySet<string>, roles: readonly OidcRole[]): Role | 'none' {
  return highestRole(roles.filter(({ ifGroup }) => groups.has(ifGroup)).map(({ role }) => role));
}
