import { evaluateGrants, type MethodAccess, MsgError, parseName } from '@msg/core';
import type { MaybePromise } from '@msg/foundation/promises';
import type { VerifiedToken } from '../tokens/claims.ts';
import type { Principal } from './bearer.ts';

/** Decides whether a token was revoked. */
export type RevocationCheck = (token: VerifiedToken) => MaybePromise<boolean>;

function denied(text: string): MsgError {
  return new MsgError('MSG_AUTH_DENIED', text);
}

/** Whether grants allow `manage` on everything: both whole visibilities, and nothing denied. */
function managesEverything(token: VerifiedToken): boolean {
  const { allow, deny } = token.grants;
  if (deny.some(scope => scope.verbs.has('manage'))) return false;
  const covers = (visibility: string) =>
    allow.some(scope => scope.verbs.has('manage') && scope.pattern.text === `${visibility}:**`);
  return covers('public') && covers('private');
}

/** False for a principal without limits: a management bearer without scopes, or any caller where the check is off. */
export function isBounded(principal: Principal): boolean {
  if (principal.kind === 'management') return principal.token.claims.scopes !== undefined;
  return principal.kind === 'access';
}

/**
 * Whether the principal may call a method for a channel. A management bearer without scopes may call all methods;
 * one with scopes, and an access token, only what its grants cover.
 * `channel` is the name in the request, for methods that name one.
 * @throws MsgError MSG_AUTH_DENIED, 403. Source: messaging details 1.5 and the last row of section 9.
 */
export async function requireMethodRights(
  principal: Principal,
  access: MethodAccess,
  channel: string | undefined,
  isRevoked: RevocationCheck,
): Promise<void> {
  if (principal.kind === 'anyone') return;
  const { token } = principal;
  if (principal.kind === 'access') {
    if (access.rule !== 'channel' || !access.accessToken)
      throw denied('an access token does not open this method');
    parseName(channel ?? '');
    if (!evaluateGrants(token.grants, channel ?? '', access.verb).allowed) {
      throw denied(`the token does not grant ${access.verb} on ${channel}`);
    }
    if (await isRevoked(token)) throw denied('the token was revoked');
    return;
  }
  if (!isBounded(principal)) return;
  if (access.rule === 'channel') {
    parseName(channel ?? '');
    if (!evaluateGrants(token.grants, channel ?? '', access.verb).allowed) {
      throw denied(`the bearer does not grant ${access.verb} on ${channel}`);
    }
  } else if (access.rule === 'listing') {
    if (!token.grants.allow.some(scope => scope.verbs.has('manage')))
      throw denied('the bearer grants no manage');
  } else if (!managesEverything(token)) {
    throw denied('the bearer does not grant manage on public:** and private:**');
  }
}

/** The channels a listing shows to the principal: all, or those its grants let it manage. */
export function visibleChannels<T extends { readonly name: string }>(
  principal: Principal,
  channels: readonly T[],
): readonly T[] {
  if (principal.kind === 'anyone' || principal.token.claims.scopes === undefined) return channels;
  const { grants } = principal.token;
  return channels.filter(({ name }) => evaluateGrants(grants, name, 'manage').allowed);
}

/** @throws MsgError MSG_AUTH_DENIED when the principal's grants do not cover everything. */
export function requireFullRights(principal: Principal): void {
  if (principal.kind === 'management' && principal.token.claims.scopes !== undefined) {
    if (!managesEverything(principal.token)) {
      throw denied('the bearer does not grant manage on public:** and private:**');
    }
  }
}
