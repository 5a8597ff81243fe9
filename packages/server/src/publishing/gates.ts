import { isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { AccessControl } from '../auth/access/access-control.ts';
import { type AccessDecision, denialError } from '../auth/access/decision.ts';
import { type Credential, NO_CREDENTIAL } from '../auth/access/principal.ts';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { ClientLimits } from '../rate-limits/client-limits.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import type { SchemaValidator } from '../schemas/validation.ts';
import type { ClientPublication, Publication, PublishCaller, ServerPublication } from './publication.ts';
import { requireExtras } from './publication-rules.ts';

/** A check of a publication. Throws, or rejects with, MsgError; returns a promise only when it waits. */
type Gate<P> = (publication: P) => MaybePromise<unknown>;

export interface GateParts {
  readonly channels: Pick<ChannelManager, 'openForUse' | 'opensOnUse' | 'peekState'>;
  readonly access: Pick<AccessControl, 'decide' | 'decideState'>;
  readonly limits: Pick<RateLimits, 'permits' | 'takePublish'>;
  readonly clientLimits: Pick<ClientLimits, 'publish' | 'open'>;
  readonly schemas: Pick<SchemaValidator, 'check'>;
}

/** The gates of all rows. */
export interface Gates {
  /** Rate of the bearer's subject, else of the caller's address. */
  callerRate(caller: PublishCaller, channel: string): MaybePromise<void>;
  /** The caller with the permits of `count` publications. */
  callerOfSeveral(caller: PublishCaller, count: number): PublishCaller;
  /** Name and state; opens a declared channel. */
  readonly openChannel: Gate<ServerPublication>;
  /** Name and state, with the errors for clients: an unknown channel is not open. */
  readonly clientState: Gate<ClientPublication>;
  readonly clientRate: Gate<ClientPublication>;
  /** Grants, revocation, the embedder's authorizer. */
  readonly clientGrant: Gate<ClientPublication>;
  /** Opens a declared channel for a client that may publish into it. */
  readonly clientOpening: Gate<ClientPublication>;
  /** Tags and data fit the channel. */
  readonly schema: Gate<Publication>;
}

export function gatesOf({ channels, access, limits, clientLimits, schemas }: GateParts): Gates {
  const enter = (publication: ClientPublication, denial: AccessDecision | undefined): void => {
    if (denial === undefined) return;
    const { channel } = publication;
    if (!denial.temporary || !channels.opensOnUse(channel, channels.peekState(channel))) {
      throw denialError(denial);
    }
    publication.opensChannel = true;
  };
  const open = async ({ client, channel }: ClientPublication): Promise<void> => {
    await clientLimits.open(client);
    await channels.openForUse(channel);
  };
  return {
    callerRate(caller, channel) {
      if (caller.permits !== undefined) return caller.permits.take(channel);
      return limits.takePublish('publish', subjectOf(caller), channel, tokenOf(caller));
    },
    callerOfSeveral(caller, count) {
      const permits = limits.permits('publish', subjectOf(caller), tokenOf(caller), count);
      return { principal: caller.principal, clientAddress: caller.clientAddress, permits };
    },
    openChannel: ({ channel }) => channels.openForUse(channel),
    clientState(publication) {
      const denial = access.decideState(publication.channel);
      if (isPromise(denial)) return denial.then(later => enter(publication, later));
      return enter(publication, denial);
    },
    clientRate: ({ client, channel, token }) => clientLimits.publish(client, channel, token),
    clientGrant({ client, channel, token }) {
      const { user, id: clientId } = client;
      const credential: Credential = token === null ? NO_CREDENTIAL : { kind: 'verified', token };
      const principal = { kind: 'client', user, clientId, credential } as const;
      const decision = access.decide({ principal, verb: 'publish', resource: channel });
      return isPromise(decision) ? decision.then(requireAllowed) : requireAllowed(decision);
    },
    clientOpening: publication => (publication.opensChannel ? open(publication) : undefined),
    schema(publication) {
      if ('extras' in publication) requireExtras(publication);
      schemas.check(publication.channel, publication.payload.bytes);
    },
  };
}

function tokenOf({ principal }: PublishCaller): VerifiedToken | null {
  return principal.kind === 'anonymous' ? null : principal.token;
}

/** Whose rate a call counts for. */
function subjectOf(caller: PublishCaller): string {
  return tokenOf(caller)?.subject || caller.clientAddress;
}

function requireAllowed(decision: AccessDecision): void {
  if (!decision.allowed) throw denialError(decision);
}
