import { type MethodAccess, MsgError, parseName, type Role } from '@msg/core';
import { coversRole, evaluateGrants } from '@msg/core/internal';
import type { VerifiedToken } from '../tokens/claims.ts';
import { type AccessDecision, allow, deny } from './decision.ts';
import type { Principal } from './principal.ts';

export const PUBLIC_METHOD = allow('public', 'a public method needs no token');

/** Denies a management bearer whose role is not enough. */
export function denyRole(token: VerifiedToken, needed: Role | undefined): AccessDecision | undefined {
  if (needed === undefined || coversRole(token.role, needed)) return undefined;
  const detail =
    token.role === 'none'
      ? `the bearer has no role, and this needs the role ${needed}`
      : `the bearer has the role ${token.role}, and this needs the role ${needed}`;
  return deny('role', 'MSG_AUTH_DENIED', detail, token);
}

function managesAnything({ grants }: VerifiedToken): boolean {
  return grants.allow.some(scope => scope.verbs.has('manage'));
}

/** Whether grants allow `manage` on everything: both whole visibilities, and nothing denied. */
function managesEverything({ grants: { allow: scopes, deny: denied } }: VerifiedToken): boolean {
  if (denied.some(scope => scope.verbs.has('manage'))) return false;
  const covers = (visibility: string) =>
    scopes.some(scope => scope.verbs.has('manage') && scope.pattern.text === `${visibility}:**`);
  return covers('public') && covers('private');
}

/** Whether a management bearer reaches every channel: it has no scopes, or they allow `manage` on everything. */
export function coversEverything(token: VerifiedToken): boolean {
  return token.claims.scopes === undefined || managesEverything(token);
}

/** The channels that a listing shows to the principal: all, or those that its grants let it manage. */
export function visibleChannels<T extends { readonly name: string }>(
  principal: Principal,
  channels: readonly T[],
): readonly T[] {
  if (principal.kind === 'anonymous' || principal.token.claims.scopes === undefined) return channels;
  const { grants } = principal.token;
  return channels.filter(({ name }) => evaluateGrants(grants, name, 'manage').allowed);
}

/** Denies a name that violates the grammar. */
export function denyInvalidName(name: string): AccessDecision | undefined {
  try {
    parseName(name);
    return undefined;
  } catch (error) {
    if (!(error instanceof MsgError)) throw error;
    return deny('grammar', error.code, error.message);
  }
}

/** Decides about a management bearer with scopes. */
export function decideBearer(token: VerifiedToken, method: MethodAccess, name: string): AccessDecision {
  switch (method.rule) {
    case 'public':
      return PUBLIC_METHOD;
    case 'channel': {
      const invalid = denyInvalidName(name);
      if (invalid !== undefined) return invalid;
      const verbs = method.or === undefined ? [method.verb] : [method.verb, method.or];
      for (const verb of verbs) {
        const { allowed, by } = evaluateGrants(token.grants, name, verb);
        if (allowed) return allow(by, `${verb} is granted`, token);
      }
      return denyBearer(token, `the bearer does not grant ${verbs.join(' or ')} on ${name}`);
    }
    case 'listing':
      return managesAnything(token)
        ? allow('allow-scope', 'the listing shows what the bearer manages', token)
        : denyBearer(token, 'the bearer grants no manage');
    case 'node':
      return allow('bearer', 'the method is open to every management bearer', token);
    case 'each':
      return allow('allow-scope', 'each channel of the request is decided by itself', token);
    case 'issuing':
      return managesAnything(token)
        ? allow('allow-scope', 'tokens get scopes that the bearer covers', token)
        : denyBearer(token, 'the bearer grants no manage');
    case 'service':
      return managesEverything(token)
        ? allow('allow-scope', 'the bearer manages everything', token)
        : denyBearer(token, 'the bearer does not grant manage on public:** and private:**');
  }
}

function denyBearer(token: VerifiedToken, detail: string): AccessDecision {
  return deny('none', 'MSG_AUTH_DENIED', detail, token);
}
