import { RedisCluster } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedis, type RedisStore } from '#src/store.ts';

const KEY = 'moves';

describe('a slot on its way to a master that dies', () => {
  let cluster: RedisCluster;
  let store: RedisStore;
  const escaped: unknown[] = [];
  const note = (reason: unknown): void => {
    escaped.push(reason);
  };

  beforeAll(async () => {
    cluster = await RedisCluster.start();
    store = await openRedis({ address: cluster.address });
    process.on('unhandledRejection', note);
  }, 120_000);
  afterAll(async () => {
    process.off('unhandledRejection', note);
    store.close();
    await cluster.stop();
  });

  it('fails commands about it, and nothing else', async () => {
    const slot = await cluster.slotOf(KEY);
    const from = await cluster.ownerOf(slot);
    const to = (from + 1) % cluster.nodes.length;
    const [source, target] = [cluster.nodes[from], cluster.nodes[to]];
    await target?.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', cluster.ids[from] ?? '');
    await source?.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', cluster.ids[to] ?? '');
    expect(await store.call('SET', KEY, 'text')).toBeTruthy();
    target?.pause();
    const waiting = Array.from({ length: 5 }, () =>
      store.call('GET', `missing{${KEY}}`).then(
        () => 'answered',
        () => 'failed',
      ),
    );
    await target?.kill();
    const later = await store.call('SET', `other{${KEY}}`, 'text').then(
      () => 'answered',
      () => 'failed',
    );
    expect([...(await Promise.all(waiting)), later]).toEqual(Array(6).fill('failed'));
    // Rejections that are not handled are told after the turn.
    await new Promise(resolve => setImmediate(resolve));
    expect(escaped).toEqual([]);
  }, 60_000);
});
