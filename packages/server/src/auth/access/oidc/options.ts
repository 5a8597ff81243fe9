import { MsgError, type Role, type ScopeClaim, type Verb } from '@msg/core';
import { isRole, isVerb, parsePattern, ROLES, VERBS } from '@msg/core/internal';
import { isTrustworthy } from '../../../config/issuer-address.ts';

/** The rights of the members of one group. */
export interface OidcGrant {
  /** Exact name of the group, case-sensitive. */
  readonly ifGroup: string;
  /** Scope pattern; a visibility of `*` stands for both. */
  readonly scope: string;
  readonly verbs: readonly Verb[];
}

/** The role of the members of one group. */
export interface OidcRole {
  /** Exact name of the group, case-sensitive. */
  readonly ifGroup: string;
  readonly role: Role;
}

/** The identity provider whose ID tokens are management bearers. Source: messaging details, section 9. */
export interface OidcOptions {
  /** `https:`, or `http:` on a loopback host. */
  readonly issuer: string;
  /** The value that `aud` of an ID token must contain. */
  readonly audience: string;
  /** Claim that becomes the subject; default `sub`, which also serves where the claim is absent. */
  readonly subjectClaim?: string;
  /** Claim that holds the groups; default `groups`. */
  readonly scopesClaim?: string;
  /** An ID token has the rights of its groups' grants. */
  readonly grants?: readonly OidcGrant[];
  /**
   * An ID token has the highest role of its groups, and none without a match. Default: `admin` for every ID token that
   * grants admit.
   */
  readonly roles?: readonly OidcRole[];
  /** Without grants and roles: every valid ID token has all rights. */
  readonly allowAll?: boolean;
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A grant with its scopes, each with one visibility. */
export interface CompiledGrant {
  readonly group: string;
  readonly scopes: readonly ScopeClaim[];
}

/** Options that were checked. */
export interface CheckedOidc {
  readonly issuer: string;
  readonly audience: string;
  readonly subjectClaim: string;
  readonly scopesClaim: string;
  /** `null`: every valid ID token has all rights. */
  readonly grants: readonly CompiledGrant[] | null;
  /** `null`: every admitted ID token is an administrator's. */
  readonly roles: readonly OidcRole[] | null;
}

function refuse(key: string, problem: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `auth.oidc.${key}: ${problem}`);
}

function compileGrant({ ifGroup, scope, verbs }: OidcGrant, index: number): CompiledGrant {
  const key = `grants[${index}]`;
  if (ifGroup === '') throw refuse(`${key}.if_group`, 'is required');
  if (verbs.length === 0) throw refuse(`${key}.verbs`, 'needs at least one verb');
  if (!verbs.every(isVerb)) throw refuse(`${key}.verbs`, `must be of ${VERBS.join(', ')}`);
  const patterns = scope.startsWith('*:')
    ? ['public', 'private'].map(word => word + scope.slice(1))
    : [scope];
  try {
    return { group: ifGroup, scopes: patterns.map(text => ({ pat: parsePattern(text).text, v: verbs })) };
  } catch (cause) {
    throw refuse(`${key}.scope`, cause instanceof MsgError ? cause.message : 'invalid pattern');
  }
}

function checkRole({ ifGroup, role }: OidcRole, index: number): OidcRole {
  const key = `roles[${index}]`;
  if (ifGroup === '') throw refuse(`${key}.if_group`, 'is required');
  if (!isRole(role)) throw refuse(`${key}.role`, `must be of ${ROLES.join(', ')}`);
  return { ifGroup, role };
}

/**
 * Checks the options of the bridge. Without grants and roles, `allowAll` must be true: no rights are given by omission.
 * @throws MsgError MSG_INVALID_ARGUMENT naming the key.
 */
export function checkOidc(options: OidcOptions): CheckedOidc {
  const { issuer, audience, grants = [], roles = [], allowAll = false } = options;
  if (!isTrustworthy(issuer)) {
    throw refuse('issuer', 'must be an https: address; http: only on a loopback host');
  }
  if (audience === '') throw refuse('audience', 'is required when issuer is set');
  if (grants.length === 0 && roles.length === 0 && !allowAll) {
    throw refuse(
      'grants',
      'is required, or roles: without them an ID token has no rights; allow_all: true gives every ID token all rights',
    );
  }
  return {
    issuer,
    audience,
    subjectClaim: options.subjectClaim || 'sub',
    scopesClaim: options.scopesClaim || 'groups',
    grants: grants.length === 0 ? null : grants.map(compileGrant),
    roles: roles.length === 0 ? null : roles.map(checkRole),
  };
}
