import { MsgError, type ScopeClaim, type Verb } from '@msg/core';
import { isVerb, parsePattern, VERBS } from '@msg/core/internal';
import { isTrustworthy } from '../../../config/issuer-address.ts';

/** The rights of the members of one group. */
export interface OidcGrant {
  /** Exact name of the group, case-sensitive. */
  readonly ifGroup: string;
  /** Scope pattern; a visibility of `*` stands for both. */
  readonly scope: string;
  readonly verbs: readonly Verb[];
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
  /** Without grants: every valid ID token has all rights. */
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

/**
 * Checks the options of the bridge. Without grants, `allowAll` must be true: no rights are given by omission.
 * @throws MsgError MSG_INVALID_ARGUMENT naming the key.
 */
export function checkOidc(options: OidcOptions): CheckedOidc {
  const { issuer, audience, grants = [], allowAll = false } = options;
  if (!isTrustworthy(issuer)) {
    throw refuse('issuer', 'must be an https: address; http: only on a loopback host');
  }
  if (audience === '') throw refuse('audience', 'is required when issuer is set');
  if (grants.length === 0 && !allowAll) {
    throw refuse(
      'grants',
      'is required: without grants an ID token has no rights; allow_all: true gives every ID token all rights',
    );
  }
  return {
    issuer,
    audience,
    subjectClaim: options.subjectClaim || 'sub',
    scopesClaim: options.scopesClaim || 'groups',
    grants: grants.length === 0 ? null : grants.map(compileGrant),
  };
}
