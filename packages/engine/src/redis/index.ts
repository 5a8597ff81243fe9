import { type Clock, type Random, systemClock, systemRandom } from '@msg/foundation/clock';
import type { RedisStore } from '@msg/redis';
import { RedisBroker } from '../broker/redis/broker.ts';
import { ShardedBroker } from '../broker/redis/sharded.ts';
import { RedisControl } from '../control/redis/control.ts';
import type { NodeOptions } from '../node/options.ts';
import { RedisPresence } from '../presence/redis/presence.ts';

export { RedisBroker } from '../broker/redis/broker.ts';
export type { RedisBrokerOptions } from '../broker/redis/options.ts';
export { isPartitionCount, MAX_PARTITIONS } from '../broker/redis/partitions.ts';
export { ShardedBroker } from '../broker/redis/sharded.ts';
export { RedisControl, type RedisControlOptions } from '../control/redis/control.ts';
export { RedisPresence, type RedisPresenceOptions } from '../presence/redis/presence.ts';

/** Options of the three backends on Redis. */
export interface RedisBackendOptions {
  /** Prefix of every key and PUB/SUB channel; default `msg:b:1`. */
  readonly prefix?: string;
  /**
   * Partitions of sharded PUB/SUB, 1 to {@link MAX_PARTITIONS}, on clusters of Redis 7 or newer: a publication goes to
   * one node of the cluster instead of all, and every partition is a connection of this node (client protocol 16.9).
   * Equal on all nodes, and part of the names of all keys. Default 0, off.
   */
  readonly partitions?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called for each message that cannot be decoded. Default: ignored. */
  readonly onError?: (error: unknown) => void;
}

/** Whether publications and messages between nodes arrive, for a readiness probe. */
export interface DeliveryState {
  readonly publications: boolean;
  readonly control: boolean;
}

/** The three backends of one node on Redis. */
export interface RedisBackends extends Required<Pick<NodeOptions, 'broker' | 'presence' | 'control'>> {
  delivery(): DeliveryState;
}

const DEFAULT_PREFIX = 'msg:b:1';

/**
 * What a node needs to be one of many: `new RealtimeNode({ policy, ...redisBackends([store]) })`. Channels are spread
 * over the stores by consistent hashing, so their order is part of the configuration; control uses the first. The caller
 * closes the stores after the node has stopped.
 * @throws RangeError for more than {@link MAX_PARTITIONS}, and for partitions without a cluster.
 */
export function redisBackends(
  stores: readonly [RedisStore, ...RedisStore[]],
  {
    prefix = DEFAULT_PREFIX,
    partitions = 0,
    clock = systemClock,
    random = systemRandom,
    onError = () => {},
  }: RedisBackendOptions = {},
): RedisBackends {
  const shards = stores.map(store => new RedisBroker({ store, prefix, partitions, clock, random, onError }));
  const [only] = shards;
  const control = new RedisControl({ store: stores[0], prefix, clock, onError });
  return {
    broker: shards.length === 1 && only !== undefined ? only : new ShardedBroker(shards),
    presence: new RedisPresence({ stores, prefix }),
    control,
    delivery: () => ({
      publications: shards.every(({ delivering }) => delivering),
      control: control.delivering,
    }),
  };
}
