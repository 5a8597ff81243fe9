import type { MsgOptions, RedisOptions, StoreBackend } from '@msg/server';
import { redisStores } from '@msg/server/internal';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import type { StandardSwitches } from '../../plan/standard-switches.ts';
import { CHANNELS, streamRule } from '../stream-rule.ts';
import { BACKEND_KEY } from './backend-rpc.ts';
import { HeardBroker, type Listener } from './heard-broker.ts';
import { LIMIT, LIMITED_CHANNEL } from './limited-caller.ts';

/** What a node of the service needs to know of its world. */
export interface NodeNeeds {
  readonly kernel: Pick<WorldKernel, 'nowUs'>;
  /** Of the store, as users give it. */
  readonly address: string;
  /** How streams are spread; absent: one store has all. */
  readonly spread?: Pick<RedisOptions, 'shards' | 'shardedPubSubPartitions'>;
  /** Is told what the node listens to and hears. */
  readonly life: Listener;
}

/** What every node of the service is made with. */
export function serviceOptions(switches: StandardSwitches, surroundings: NodeNeeds): MsgOptions {
  return {
    channels: {
      open: [CHANNELS, LIMITED_CHANNEL].map(pattern => ({ pattern, ttlMs: Number.POSITIVE_INFINITY })),
      rules: [streamRule(switches)],
    },
    apiKeys: [{ name: 'publishers', key: BACKEND_KEY }],
    rateLimits: { perChannelPublish: [{ pattern: LIMITED_CHANNEL, ...LIMIT }] },
    drainWindowMs: switches.drainWindowMs,
    stores: heardStores(surroundings),
  };
}

function heardStores({ kernel, address, spread, life }: NodeNeeds): StoreBackend {
  return {
    open: async context => {
      const stores = await redisStores({ address, ...spread }).open(context);
      const broker = stores.engine?.broker;
      if (broker === undefined) throw new Error('a store of several nodes has a broker');
      return { ...stores, engine: { ...stores.engine, broker: new HeardBroker(kernel, broker, life) } };
    },
  };
}
