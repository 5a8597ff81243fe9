import { METHODS, type Role, type RpcMethodName } from '@msg/core';
import { neededRole, ROLES } from '@msg/core/internal';
import type { Msg } from '@msg/server';
import type { RpcAnswer } from './rpc.ts';

export const CHANNEL = 'public:matrix.a';
export const NARROW = [{ pattern: 'public:matrix.**', verbs: ['subscribe', 'publish', 'manage'] as const }];
const EVERYTHING = ['public:**', 'private:**'].map(pattern => ({
  pattern,
  verbs: ['subscribe', 'publish', 'manage'] as const,
}));
/** The scopes of management bearers. */
export const REACHES = { whole: [], everything: EVERYTHING, narrow: NARROW } as const;

type Reach = keyof typeof REACHES;
export interface Management {
  readonly kind: 'management';
  readonly role: Role;
  readonly reach: Reach;
}
/** Who calls. */
export type Caller = { readonly kind: 'none' | 'access' } | Management;

export const MANAGEMENT: readonly Management[] = ROLES.flatMap(role =>
  (Object.keys(REACHES) as Reach[]).map(reach => ({ kind: 'management' as const, role, reach })),
);
export const CALLERS: readonly Caller[] = [{ kind: 'none' }, { kind: 'access' }, ...MANAGEMENT];
export const nameOf = (caller: Caller): string =>
  caller.kind === 'management' ? `${caller.role} (${caller.reach})` : caller.kind;

/** What becomes of a call: refused for its bearer, its role, its scopes, or not. */
export type Outcome = 'unknown' | 'role' | 'scope' | 'allowed';

export const RANK: Readonly<Record<Role, number>> = { viewer: 1, operator: 2, admin: 3 };

/** What the table says. */
export function outcomeOf(name: RpcMethodName, request: object, caller: Caller): Outcome {
  const { access, rights } = METHODS[name];
  if (access.rule === 'public') return 'allowed';
  if (caller.kind !== 'management') {
    const opens = caller.kind === 'access' && access.rule === 'channel' && access.accessToken;
    return opens ? 'allowed' : 'unknown';
  }
  const needed = neededRole(rights, request) ?? 'admin';
  if (RANK[caller.role] < RANK[needed]) return 'role';
  return caller.reach === 'narrow' && access.rule === 'service' ? 'scope' : 'allowed';
}

/** What an answer says. */
export function read({ status, code, body }: RpcAnswer): Outcome {
  if (status === 401) return 'unknown';
  if (status !== 403 || code !== 'MSG_AUTH_DENIED') return 'allowed';
  return String(body['msg']).includes('needs the role') ? 'role' : 'scope';
}

/** The smallest request of a method, for the channel of the matrix. */
export async function requestOf(name: RpcMethodName, { tokens }: Pick<Msg, 'tokens'>): Promise<object> {
  const { request } = METHODS[name] as { request: { zero(): unknown; write(value: unknown): object } };
  const smallest: Record<string, unknown> = { ...request.write(request.zero()) };
  if ('name' in smallest) smallest['name'] = CHANNEL;
  // A bearer with scopes makes no key without grants.
  if (name === 'CreateApiKey') smallest['grants'] = NARROW;
  if (name === 'RefreshToken') {
    const pair = await tokens.issueAccess({ subject: 'ann', scopes: NARROW, allowManage: true });
    smallest['refresh_token'] = pair.refresh_token;
  }
  return smallest;
}
