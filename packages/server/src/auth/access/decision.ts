import { type MsgCode, MsgError } from '@msg/core';
import type { ChannelState } from '../../channels/record.ts';
import type { VerifiedToken } from '../tokens/claims.ts';

/** The rule that decided about an access. */
export type AccessRule =
  | 'grammar'
  | 'channel-state'
  | 'public'
  | 'bearer'
  | 'role'
  | 'token'
  | 'revoked'
  | 'deny-scope'
  | 'chs'
  | 'allow-scope'
  | 'authorizer'
  | 'none';

export interface AccessDecision {
  readonly allowed: boolean;
  readonly rule: AccessRule;
  /** The code of a denial. */
  readonly code: MsgCode | null;
  readonly detail: string;
  /** A temporary denial: the channel may open later (messaging details 24.1). */
  readonly temporary: boolean;
  /** The token that was checked. */
  readonly token: VerifiedToken | null;
}

export function allow(rule: AccessRule, detail: string, token: VerifiedToken | null = null): AccessDecision {
  return { allowed: true, rule, code: null, detail, temporary: false, token };
}

export function deny(
  rule: AccessRule,
  code: MsgCode,
  detail: string,
  token: VerifiedToken | null = null,
): AccessDecision {
  return { allowed: false, rule, code, detail, temporary: false, token };
}

/**
 * Denies a channel in this state, `undefined` for a name without record. Only the denial of a deleted name is permanent.
 */
export function denyState(name: string, state: ChannelState | undefined): AccessDecision {
  const isDeleted = state === 'deleted';
  const detail = isDeleted ? `channel ${name} was deleted` : `channel ${name} is not open`;
  return { ...deny('channel-state', 'MSG_CHANNEL_CLOSED', detail), temporary: !isDeleted };
}

/** The error of a denial. */
export function denialError({ code, detail }: AccessDecision): MsgError {
  return new MsgError(code ?? 'MSG_INTERNAL', detail);
}
