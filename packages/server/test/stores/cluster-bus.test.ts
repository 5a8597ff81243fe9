import { systemClock, systemRandom } from '@msg/foundation/clock';
import type { ClusterEvents, Stores } from '@msg/server';
import { eventually } from '@msg/testkit';
import { FaultProxy, RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { redisStores } from '#src/stores/redis-stores.ts';
import { CLUSTER_BUS_CONTRACT } from '#src/testing/index.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const CASES = CLUSTER_BUS_CONTRACT.map(({ name, holds }) => [name, holds] as const);

describe('cluster bus: Redis', () => {
  let redis: RedisServer;
  let proxy: FaultProxy;
  let serial = 0;

  beforeAll(async () => {
    redis = await RedisServer.start();
    const [host = '', port = ''] = redis.address.split(':');
    proxy = await FaultProxy.start({ host, port: Number(port) });
  });
  afterAll(async () => {
    await proxy.stop();
    await redis.stop();
  });

  async function node(address: string, keyPrefix: string): Promise<Stores> {
    const backend = redisStores({ address, keyPrefix });
    const stores = await backend.open({ clock: systemClock, random: systemRandom, logger, sinkNames: [] });
    onTestFinished(async () => {
      await stores.clusterBus?.close();
      await stores.close?.();
    });
    return stores;
  }

  async function subject() {
    const prefix = `bus${serial++}`;
    return {
      here: await node(redis.address, prefix),
      there: await node(proxy.address, prefix),
      eventually,
      async interrupt() {
        proxy.fault = 'cut';
        proxy.fault = 'pass';
      },
    };
  }

  it.each(CASES)('%s', async (_, holds) => {
    await holds(await subject());
  });

  const flaws: Readonly<Record<string, (events: ClusterEvents) => Partial<ClusterEvents>>> = {
    'a change of a channel is told': events => ({
      onChannelChanged: event => {
        events.onChannelChanged(event);
        events.onChannelChanged(event);
      },
    }),
    'a written keyring': () => ({ onKeyringChanged() {} }),
    'written schemas': () => ({ onSchemasChanged() {} }),
    'a node that was cut off': () => ({ onReconnected() {} }),
  };

  it.each(Object.entries(flaws))('a bus with a flaw fails the case: %s', async (begin, flaw) => {
    const { there, ...rest } = await subject();
    const { clusterBus: bus } = there;
    if (bus === undefined) throw new Error('no bus');
    const flawed = {
      health: {},
      close: () => bus.close(),
      start: (events: ClusterEvents) => bus.start({ ...events, ...flaw(events) }),
    };
    const impatient = async (what: string, holds: () => boolean): Promise<void> => {
      if (!(await settled(holds))) throw new Error(what);
    };
    const [, holds] = CASES.find(([name]) => name.startsWith(begin)) ?? [];
    const broken = { ...rest, there: { ...there, clusterBus: flawed }, eventually: impatient };
    await expect(holds?.(broken)).rejects.toThrow();
  });

  /** True when it holds within a second. */
  async function settled(holds: () => boolean): Promise<boolean> {
    const end = performance.now() + 1000;
    while (!holds() && performance.now() < end) await new Promise(resolve => setTimeout(resolve, 5));
    return holds();
  }
});
