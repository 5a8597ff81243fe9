import { ApiKeyChanges } from '../../auth/api-keys/changes.ts';
import { ClusterConnections } from '../../connections/cluster.ts';
import { AccessExplainer } from '../../connections/explain.ts';
import { KeyUse } from '../../connections/key-usage.ts';
import { LocalConnections } from '../../connections/local.ts';
import { RoleSupport } from '../../realtime/role-support.ts';
import type { Auth } from './auth.ts';
import type { Base, LateParts } from './base.ts';
import type { Channels } from './channels.ts';
import type { Realtime } from './realtime.ts';

/** What operators ask and change about connections, keys and rights. */
export interface Connections {
  readonly connections: ClusterConnections;
  readonly explainer: AccessExplainer;
  readonly keyUse: KeyUse;
  readonly roleSupport: RoleSupport;
  readonly apiKeyChanges: ApiKeyChanges;
}

export function composeConnections(
  { clock, random, apiKeys }: Base,
  late: LateParts,
  { verifier, keyUsage }: Auth,
  { access }: Channels,
  { surveys }: Realtime,
): Connections {
  const node = () => late.node;
  return {
    connections: new ClusterConnections(new LocalConnections(node, clock), surveys),
    explainer: new AccessExplainer(access, node, surveys),
    keyUse: new KeyUse({
      node,
      surveys,
      clock,
      tokens: () => verifier.tokens(),
      moments: () => keyUsage.moments,
    }),
    roleSupport: new RoleSupport(surveys),
    apiKeyChanges: new ApiKeyChanges({ keys: apiKeys, clock, random }),
  };
}
