import { type MethodAccess, MsgError } from '@msg/core';
import { type AuditedCalls, CLI_AGENT, type MethodRights } from '@msg/core/internal';
import type { MaybePromise } from '@msg/foundation/promises';
import type { AuditVia } from '../audit/record.ts';
import type { BearerCheck } from '../auth/access/bearer.ts';
import type { Principal } from '../auth/access/principal.ts';
import type { RequestContext } from '../http/request-context.ts';

/** A way by which calls reach the RPC. */
export interface RpcEntry {
  /** Finds the caller; `access` is undefined for a method that does not exist. @throws MsgError, 401, also as rejection */
  authenticate(context: RequestContext, access: MethodAccess | undefined): MaybePromise<Principal>;
  /** What the records of the audit call it. */
  via(context: RequestContext): AuditVia;
  /** The calls that it leaves records of. */
  readonly records: readonly AuditedCalls[];
}

/** Calls with a bearer, at `/twirp/`. The program `msg` says what it is. */
export function bearerEntry(bearer: BearerCheck): RpcEntry {
  return {
    authenticate: ({ request }, access) => bearer.authenticate(request.headers, access),
    via: ({ request }) => (request.headers['user-agent']?.startsWith(CLI_AGENT) === true ? 'cli' : 'rpc'),
    records: ['always'],
  };
}

/** @throws MsgError MSG_AUTH_DENIED for a locked session of the console and a method that changes something */
export function requireUnlocked(principal: Principal, { effect }: MethodRights): void {
  if (effect === 'read' || principal.kind !== 'management' || principal.isLocked !== true) return;
  throw new MsgError('MSG_AUTH_DENIED', 'the session is locked: unlock it to change something', {
    reason: 'locked',
  });
}
