import type { Envelope, ManifestPayload } from '@msg/core';
import { BearerCheck } from '../auth/access/bearer.ts';
import { BearerRevocation } from '../auth/tokens/revocation/bearer-revocation.ts';
import type { IdentityTokenVerifier } from '../auth/tokens/verifier.ts';
import { apiKeyHandlers } from '../rpc/api-keys.ts';
import { appendHandlers } from '../rpc/appending.ts';
import { auditHandlers } from '../rpc/audit.ts';
import type { RpcHandlers } from '../rpc/call.ts';
import { channelHandlers } from '../rpc/channels.ts';
import { configurationHandlers } from '../rpc/configuration.ts';
import { connectionHandlers } from '../rpc/connections.ts';
import { deadLetterHandlers } from '../rpc/dead-letters.ts';
import { bearerEntry, type RpcEntry } from '../rpc/entry.ts';
import { explainHandlers } from '../rpc/explain.ts';
import { feedHandlers } from '../rpc/feeds.ts';
import { historyHandlers } from '../rpc/history.ts';
import { keyUsageHandlers } from '../rpc/key-usage.ts';
import { keyHandlers } from '../rpc/keys.ts';
import { letterChangeHandlers } from '../rpc/letter-changes.ts';
import { nodeHandlers } from '../rpc/nodes.ts';
import { publishHandlers } from '../rpc/publishing.ts';
import { recordingHandlers } from '../rpc/recordings.ts';
import { redriveHandlers } from '../rpc/redrive.ts';
import { schemaHandlers } from '../rpc/schemas.ts';
import { tokenHandlers } from '../rpc/tokens.ts';
import { TwirpRoutes } from '../rpc/twirp.ts';
import { UnknownMemberLog } from '../rpc/unknown-members.ts';
import { whoAmIHandlers } from '../rpc/whoami.ts';
import type { Service } from '../service/compose.ts';
import type { ErrorResponder } from './error-responder.ts';

/** What the RPC is told besides its service. */
export interface RpcRouteOptions {
  readonly noAuth: boolean;
  /** Every RPC method refuses unknown members. */
  readonly strictRequests: boolean;
  /** Verifies bearers that the service did not sign. */
  readonly oidc?: IdentityTokenVerifier | undefined;
  readonly manifest: () => Envelope<ManifestPayload>;
  /** Methods that another thread carries out. */
  readonly elsewhere?: Partial<RpcHandlers> | undefined;
}

/** One handler for every method of the table. */
function handlersOf(service: Service, { manifest, elsewhere }: RpcRouteOptions): RpcHandlers {
  const { deadLetters, access } = service;
  const here: RpcHandlers = {
    Manifest: () => manifest(),
    ...channelHandlers(service),
    ...publishHandlers(service),
    ...appendHandlers(service.appendStreams, access),
    ...deadLetterHandlers(deadLetters, access),
    ...letterChangeHandlers(deadLetters),
    ...redriveHandlers(service),
    ...explainHandlers(service.explainer),
    ...tokenHandlers(service),
    ...keyHandlers(service),
    ...apiKeyHandlers(service),
    ...schemaHandlers(service.schemas),
    ...connectionHandlers(service),
    ...feedHandlers(service),
    ...recordingHandlers(service.recordings),
    ...historyHandlers(service.history, access),
    ...whoAmIHandlers(),
    ...auditHandlers(service.auditReader),
    ...nodeHandlers(service.nodes),
    ...keyUsageHandlers(service),
    ...configurationHandlers(service.configuration),
  };
  return { ...here, ...elsewhere };
}

/** The entry of calls with a bearer. */
function bearers({ verifier, revocations, apiKeys, clock }: Service, options: RpcRouteOptions): RpcEntry {
  const { noAuth, oidc } = options;
  const revoked = new BearerRevocation(revocations, clock);
  const isRevoked = revoked.isRevoked.bind(revoked);
  return bearerEntry(new BearerCheck({ verifier, apiKeys, off: noAuth, isRevoked, provider: oidc }));
}

/** The RPC of a service; `entry` finds its callers, by default by their bearers. */
export function rpcRoutes(
  service: Service,
  options: RpcRouteOptions,
  responder: ErrorResponder,
  entry = bearers(service, options),
): TwirpRoutes {
  const { access, audit, clock, logger, node } = service;
  const { strictRequests } = options;
  return new TwirpRoutes({
    entry,
    bodies: node.bodies,
    strict: strictRequests,
    audit,
    unknownMembers: new UnknownMemberLog(clock, logger),
    access,
    handlers: handlersOf(service, options),
    responder,
  });
}
