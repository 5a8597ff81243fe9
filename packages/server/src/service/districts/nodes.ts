import { defined } from '@msg/foundation/json';
import type { CommandRunner } from '../../api/runner.ts';
import type { KeyringWatcher } from '../../auth/keys/watcher.ts';
import { ClusterNodes } from '../../nodes/cluster.ts';
import { LastMinute } from '../../nodes/last-minute.ts';
import { OwnNode } from '../../nodes/local.ts';
import { processFigures } from '../../nodes/process-figures.ts';
import type { NamedTotals, NodeTotals } from '../../nodes/totals.ts';
import { Rebalancer } from '../../realtime/rebalancer.ts';
import type { Base, LateParts } from './base.ts';
import type { Realtime } from './realtime.ts';

/** The nodes of a service, for operators. */
export interface Nodes {
  readonly ownNode: OwnNode;
  readonly lastMinute: LastMinute;
  readonly nodes: ClusterNodes;
  readonly rebalancer: Rebalancer;
}

/** The parts that hints look at. */
interface WatchedParts {
  readonly watcher: KeyringWatcher;
  readonly api: CommandRunner;
}

/** Code of a command of the HTTP API that failed here. */
const API_FAILURE = '100';

export function composeNodes(
  { options, clock, version, keyring, stores, logger }: Base,
  late: LateParts,
  { surveys }: Realtime,
  { watcher, api }: WatchedParts,
): Nodes {
  const totals = (): NodeTotals => {
    const { deliveries, bytesIn, bytesOut, slowConsumers, insufficientStates, recovered, unrecovered } =
      late.node.stats();
    return {
      ...late.metrics.totals(),
      deliveries,
      bytesIn,
      bytesOut,
      slowConsumers,
      insufficientStates,
      recovered,
      unrecovered,
      apiCommands: api.requests.sum(),
      apiFailures: api.requests.sum((_method, code) => code === API_FAILURE),
    };
  };
  const named = (): NamedTotals => late.metrics.named();
  const lastMinute = new LastMinute({ clock, totals, named, figures: processFigures() });
  const ownNode = new OwnNode({
    node: () => late.node,
    clock,
    version,
    region: options.region ?? '',
    totals,
    named,
    minute: lastMinute,
    ...defined({ readStore: stores.read }),
    facts: () => ({
      noAuth: options.noAuth ?? false,
      keyring: keyring.backend,
      watchUp: watcher.up,
      activeKeyAgeSeconds: (clock.now() - keyring.active.createdAt) / 1000,
      feeds: late.feeds.count,
      tails: late.feeds.tailCount,
    }),
  });
  const rebalancer = new Rebalancer({
    node: () => late.node,
    surveys,
    ready: () => ownNode.ready,
    windowMs: options.rebalanceWindowMs ?? 0,
    clock,
    logger,
  });
  return { ownNode, lastMinute, nodes: new ClusterNodes(ownNode, surveys, () => clock.now()), rebalancer };
}
