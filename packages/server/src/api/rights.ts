import type { MethodRights, Verb } from '@msg/core';
import { chain, isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { AccessControl } from '../auth/access/access-control.ts';
import { denyRole } from '../auth/access/bearer-rights.ts';
import { type AccessDecision, denialError } from '../auth/access/decision.ts';
import type { Principal } from '../auth/access/principal.ts';

type RightsControl = Pick<AccessControl, 'decide' | 'showsPayloads'>;

/** The rights of the caller of one request, decided once per verb and channel. */
export class RequestRights {
  readonly #access: RightsControl;
  readonly #principal: Principal;
  /** Absent for a caller without grants, which may do everything. */
  readonly #decisions: Map<string, MaybePromise<AccessDecision>> | undefined;

  constructor(access: RightsControl, principal: Principal) {
    this.#access = access;
    this.#principal = principal;
    const isBounded = principal.kind !== 'anonymous' && principal.token.claims.scopes !== undefined;
    this.#decisions = isBounded ? new Map() : undefined;
  }

  /** Whether the caller sees payloads and info of connections. */
  get showsPayloads(): boolean {
    return this.#access.showsPayloads(this.#principal);
  }

  /** The role that a command needs. @throws MsgError MSG_AUTH_DENIED */
  requireRole({ role }: MethodRights): void {
    const principal = this.#principal;
    if (principal.kind === 'anonymous') return;
    const denied = denyRole(principal.token, role ?? undefined);
    if (denied !== undefined) throw denialError(denied);
  }

  /** @throws MsgError MSG_AUTH_DENIED, also as rejection, as all of this class. */
  require(verb: Verb, channel: string): MaybePromise<void> {
    if (this.#decisions === undefined) return;
    const key = `${verb} ${channel}`;
    let decision = this.#decisions.get(key);
    if (decision === undefined) {
      const method = { rule: 'channel', verb, accessToken: false } as const;
      decision = this.#access.decide({ principal: this.#principal, method, resource: channel });
      this.#decisions.set(key, decision);
    }
    return chain(decision, requireAllowed);
  }

  /** Whether the caller has the right, for filtering. */
  async allows(verb: Verb, channel: string): Promise<boolean> {
    if (this.#decisions === undefined) return true;
    const method = { rule: 'channel', verb, accessToken: false } as const;
    const decision = this.#access.decide({ principal: this.#principal, method, resource: channel });
    return (isPromise(decision) ? await decision : decision).allowed;
  }

  /** `manage` of every channel. */
  requireService(): MaybePromise<void> {
    if (this.#decisions === undefined) return;
    const principal = this.#principal;
    return chain(
      this.#access.decide({ principal, method: { rule: 'service' }, resource: undefined }),
      requireAllowed,
    );
  }
}

function requireAllowed(decision: AccessDecision): void {
  if (!decision.allowed) throw denialError(decision);
}
