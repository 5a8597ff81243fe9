import { type ChannelName, isValidName, parseName } from './channel-name.ts';
import {
  coversPattern,
  matchesPattern,
  overlapsPattern,
  readPattern,
  type ScopePattern,
} from './scope-pattern.ts';

/** A verb of a grant. `manage` implies neither of the others. */
export type Verb = 'subscribe' | 'publish' | 'manage';

/** The verbs of grants. */
export const VERBS: readonly Verb[] = ['subscribe', 'publish', 'manage'];

/** True for one of the three verbs, case-sensitive. */
export function isVerb(value: unknown): value is Verb {
  return value === 'subscribe' || value === 'publish' || value === 'manage';
}

/** A scope in a token's `scopes` claim (messaging details 6.1). */
export interface ScopeClaim {
  readonly pat: string;
  readonly v: readonly string[];
  readonly deny?: boolean;
}

/** The claims that carry grants. */
export interface GrantClaims {
  /** Exact channel names; each authorises every verb. */
  readonly chs?: readonly string[];
  readonly scopes?: readonly ScopeClaim[];
}

interface CompiledScope {
  readonly pattern: ScopePattern;
  readonly verbs: ReadonlySet<string>;
}

/** Grants compiled for evaluation, without malformed patterns, which match nothing. */
export interface Grants {
  readonly channels: ReadonlySet<string>;
  readonly allow: readonly CompiledScope[];
  readonly deny: readonly CompiledScope[];
}

/** The decision of grants, with its rule. */
export interface GrantDecision {
  readonly allowed: boolean;
  readonly by: 'grammar' | 'deny-scope' | 'chs' | 'allow-scope' | 'none';
  /** The pattern that decided, for `deny-scope` and `allow-scope`. */
  readonly pattern?: string;
}

/** Compiles the grants of a token's claims once, so that evaluations are cheap. */
export function compileGrants(claims: GrantClaims): Grants {
  const allow: CompiledScope[] = [];
  const deny: CompiledScope[] = [];
  for (const scope of claims.scopes ?? []) {
    const pattern = readPattern(scope.pat);
    if (pattern === undefined) continue;
    (scope.deny === true ? deny : allow).push({ pattern, verbs: new Set(scope.v) });
  }
  return { channels: new Set(claims.chs ?? []), allow, deny };
}

function matching(scopes: readonly CompiledScope[], channel: ChannelName, verb: Verb): string | undefined {
  for (const scope of scopes) {
    if (scope.verbs.has(verb) && matchesPattern(scope.pattern, channel)) return scope.pattern.text;
  }
  return undefined;
}

/**
 * Evaluates grants for (channel, verb): deny scopes first, then the exact list, then allow scopes, else denied.
 * The order of scopes never matters. Source: the specification, Authentication 6; messaging details 6.4.
 */
export function evaluateGrants(grants: Grants, channel: string, verb: Verb): GrantDecision {
  if (!isValidName(channel)) return { allowed: false, by: 'grammar' };
  const name = parseName(channel);
  const denied = matching(grants.deny, name, verb);
  if (denied !== undefined) return { allowed: false, by: 'deny-scope', pattern: denied };
  if (grants.channels.has(channel)) return { allowed: true, by: 'chs' };
  const allowed = matching(grants.allow, name, verb);
  if (allowed !== undefined) return { allowed: true, by: 'allow-scope', pattern: allowed };
  return { allowed: false, by: 'none' };
}

/**
 * True when a holder of the grants may put the scope into a token that it issues: one allow scope has `manage` and every
 * verb of the scope and covers each channel that the scope matches, and no deny scope takes one of these channels away.
 * A deny scope may always be put there. Source: app-developers 1, "grants".
 */
export function coversScope(grants: Grants, scope: ScopeClaim): boolean {
  if (scope.deny === true) return true;
  const pattern = readPattern(scope.pat);
  if (pattern === undefined) return false;
  const verbs = ['manage', ...scope.v];
  const isDenied = grants.deny.some(
    denied => verbs.some(verb => denied.verbs.has(verb)) && overlapsPattern(denied.pattern, pattern),
  );
  if (isDenied) return false;
  return grants.allow.some(
    allowed => verbs.every(verb => allowed.verbs.has(verb)) && coversPattern(allowed.pattern, pattern),
  );
}
