import type { Clock, RealtimeNode } from '@msg/engine';
import type { ChannelManager } from '../channels/manager.ts';
import type { DeadLetters } from '../dead-letters/dead-letters.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { KeyringWatcher } from '../keys/watcher.ts';
import type { MetricsSources } from './metrics.ts';

/** The parts that gauges look at. */
export interface ObservedParts {
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly watcher: KeyringWatcher;
  readonly channels: ChannelManager;
  readonly deadLetters: Pick<DeadLetters, 'sizes'>;
  readonly node: RealtimeNode;
}

function countBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function* subscribedChannels(node: RealtimeNode): Iterable<string> {
  for (const client of node.clients()) yield* client.channels();
}

function visibilityOf(channel: string): string {
  return channel.slice(0, channel.indexOf(':'));
}

/** Reads the gauges when somebody scrapes; nothing is counted in between. */
export function readSources(parts: ObservedParts): MetricsSources {
  const { clock, keyring, watcher, channels, deadLetters, node } = parts;
  return {
    async channels() {
      const counts = countBy(await channels.list(), ({ state, visibility }) => `${state} ${visibility}`);
      return [...counts].map(([key, count]) => {
        const [state = '', visibility = ''] = key.split(' ');
        return { state, visibility, count };
      });
    },
    subscribers() {
      const counts = countBy(subscribedChannels(node), visibilityOf);
      return ['public', 'private'].map(visibility => ({ visibility, count: counts.get(visibility) ?? 0 }));
    },
    // A store that cannot be read shows no sizes; the other metrics stay.
    deadLetters: () => deadLetters.sizes().catch(() => []),
    keyring: () => ({
      backend: keyring.backend,
      version: keyring.generation,
      activeKeyAgeSeconds: (clock.now() - keyring.active.createdAt) / 1000,
      watchUp: watcher.up,
    }),
  };
}
