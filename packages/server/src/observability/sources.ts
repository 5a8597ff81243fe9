import type { RealtimeNode } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import type { ApiKeys } from '../auth/api-keys/api-keys.ts';
import type { Keyring } from '../auth/keys/keyring.ts';
import type { KeyringWatcher } from '../auth/keys/watcher.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { Feeds } from '../live/feeds.ts';
import type { Recordings } from '../live/recordings.ts';
import type { DeadLetters } from '../notify/dead-letters/dead-letters.ts';
import type { RedriveJobs } from '../notify/dead-letters/jobs/redrive.ts';
import type { ClusterBus } from '../stores/contract.ts';
import type { ApiSources } from './api-metrics.ts';
import type { AppendSources } from './append-metrics.ts';
import { type MetricsSources, visibilityLabel } from './metrics.ts';
import type { ConnectionCount, NodeStatsView } from './node-metrics.ts';
import type { OutboxSources } from './outbox-metrics.ts';
import { StoreCommands } from './store-commands.ts';

/** The parts that gauges read. */
export interface ObservedParts extends OutboxSources {
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly apiKeys: Pick<ApiKeys, 'requests' | 'secrets'>;
  readonly api: ApiSources;
  readonly appendCounts: AppendSources;
  readonly watcher: KeyringWatcher;
  readonly directory: Pick<ChannelDirectory, 'counts'>;
  readonly deadLetters: Pick<DeadLetters, 'sizes'>;
  readonly redriveJobs: Pick<RedriveJobs, 'running'>;
  readonly node: RealtimeNode;
  readonly ownFeeds: Pick<Feeds, 'count' | 'tailCount'>;
  readonly ownRecordings: Pick<Recordings, 'count'>;
  /** The shared store, where there is one. */
  readonly clusterBus: ClusterBus | undefined;
  /** Counts and durations of commands to the store; absent: not measured. */
  readonly commands: StoreCommands | undefined;
}

function countBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Reads the node's stats once per turn of the event loop, however many gauges read them. */
function figuresOf(node: RealtimeNode): () => NodeStatsView {
  let figures: NodeStatsView | undefined;
  return () => {
    if (figures === undefined) {
      figures = node.stats();
      queueMicrotask(() => {
        figures = undefined;
      });
    }
    return figures;
  };
}

function connectionsOf(node: RealtimeNode): ConnectionCount[] {
  const counts = countBy(node.clients(), ({ transport }) => `${transport.name} ${transport.encoding}`);
  return [...counts].map(([key, count]) => {
    const [transport = '', encoding = ''] = key.split(' ');
    return { transport, encoding, count };
  });
}

function subscribersOf(node: RealtimeNode): { visibility: string; count: number }[] {
  const counts = { public: 0, private: 0 };
  for (const channel of node.channels()) {
    const visibility = visibilityLabel(channel);
    if (visibility !== 'unknown') counts[visibility] += node.subscriberCount(channel);
  }
  return Object.entries(counts).map(([visibility, count]) => ({ visibility, count }));
}

/** Reads the gauges at each scrape. */
export function readSources(parts: ObservedParts): MetricsSources {
  const { clock, keyring, apiKeys, api, watcher, directory, deadLetters, redriveJobs } = parts;
  const { node, clusterBus, commands } = parts;
  const { seconds, failures } = commands ?? new StoreCommands(clock);
  return {
    async channels() {
      // If the store cannot be read, channels are missing, those of the last copy too; the other metrics stay.
      if (Object.values(clusterBus?.health ?? {}).some(({ ok }) => !ok)) return [];
      const counts = await directory.counts().catch(() => new Map<string, number>());
      return [...counts].map(([key, count]) => {
        const [state = '', visibility = ''] = key.split(' ');
        return { state, visibility, count };
      });
    },
    node: { connections: () => connectionsOf(node), figures: figuresOf(node) },
    subscribers: () => subscribersOf(node),
    store: {
      seconds,
      failures,
      subsystems() {
        const states = Object.entries(clusterBus?.health ?? {});
        const figures = parts.outbox.figures();
        return [
          ['broker', node.running],
          ...states.map(([name, { ok }]) => [name, ok] as const),
          ...(figures === undefined ? [] : [['outbox', figures.isUp] as const]),
        ];
      },
    },
    api,
    appends: parts.appendCounts,
    outbox: parts,
    apiKeys: { requests: apiKeys.requests, secrets: () => apiKeys.secrets() },
    live: () => ({
      feeds: parts.ownFeeds.count,
      tails: parts.ownFeeds.tailCount,
      recordings: parts.ownRecordings.count,
    }),
    deadLetters: () => deadLetters.sizes().catch(() => []),
    redriveJobs: () => redriveJobs.running,
    keyring: () => ({
      backend: keyring.backend,
      version: keyring.generation,
      activeKeyAgeSeconds: (clock.now() - keyring.active.createdAt) / 1000,
      watchUp: watcher.up,
    }),
  };
}
