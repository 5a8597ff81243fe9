import { type MethodAccess, MsgError, parseName } from '@msg/core';
import { evaluateGrants } from '@msg/core/internal';
import type { VerifiedToken } from '../tokens/claims.ts';
import { type AccessDecision, allow, deny } from './decision.ts';
import type { Principal } from './principal.ts';

export const PUBLIC_METHOD = allow('public', 'a public method needs no token');

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
      const { allowed, by } = evaluateGrants(token.grants, name, method.verb);
      if (allowed) return allow(by, `${method.verb} is granted`, token);
      return denyBearer(token, `the bearer does not grant ${method.verb} on ${name}`);
    }
    case 'listing':
      return managesAnything(token)
        ? allow('allow-scope', 'the listing shows what the bearer manages', token)
        : denyBearer(token, 'the bearer grants no manage');
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
