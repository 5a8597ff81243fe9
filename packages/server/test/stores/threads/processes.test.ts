import { systemClock, systemRandom } from '@msg/foundation/clock';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeys } from '#src/auth/api-keys/api-keys.ts';
import { KeySet } from '#src/auth/keys/key-set.ts';
import { LiveKeySet } from '#src/auth/keys/live-key-set.ts';
import { silentLogger } from '#src/observability/logger.ts';
import type { Stores } from '#src/stores/contract.ts';
import { redisStores } from '#src/stores/redis-stores.ts';
import { MainStores } from '#src/stores/threads/main-stores.ts';
import { threadStores } from '#src/stores/threads/thread-stores.ts';
import { CLUSTER_BUS_CONTRACT } from '#src/testing/index.ts';

describe('threads of two processes on one Redis', () => {
  let redis: RedisServer;
  let serial = 0;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());

  /** A process with one thread: the thread's stores, and the end of both. */
  async function startProcess(keyPrefix: string): Promise<{ stores: Stores; stop(): Promise<void> }> {
    const context = { clock: systemClock, random: systemRandom, logger: silentLogger, sinkNames: [] };
    const opened = await redisStores({ address: redis.address, keyPrefix }).open(context);
    const live = new LiveKeySet(new KeySet([]), opened.keyring);
    const { apiKeys: store } = opened;
    if (store === undefined) throw new Error('the backend has not a store of API keys');
    const apiKeys = await ApiKeys.open({ declared: [], store, clock: systemClock, logger: silentLogger });
    const keyring = { live, backend: 'redis', location: '' } as const;
    const main = new MainStores({ stores: opened, keyring, apiKeys }, { revocationStore: 'auto' });
    const { clusterBus } = main.resources.stores;
    await clusterBus?.start({
      onChannelChanged() {},
      // The news of the last change may come when the store is closed.
      onKeyringChanged: () => live.follow().catch(() => undefined),
      onSchemasChanged() {},
      onReconnected() {},
    });
    const attached = main.attach(1);
    const stores = await threadStores(attached.link).open(context);
    const stop = async (): Promise<void> => {
      await stores.close?.();
      await attached.detach();
      await clusterBus?.close();
      await opened.close?.();
    };
    return { stores, stop };
  }

  it.each(CLUSTER_BUS_CONTRACT.map(({ name, holds }) => [name, holds] as const))('%s', async (_, holds) => {
    const prefix = `threads${serial++}`;
    const processes = [await startProcess(prefix), await startProcess(prefix)] as const;
    await holds({ here: processes[0].stores, there: processes[1].stores, eventually });
    expect(Object.keys(processes[0].stores.clusterBus?.health ?? {})).toContain('main');
    for (const { stop } of processes) await stop();
  });
});
