import { systemClock, systemRandom } from '@msg/foundation/clock';
import { eventually } from '@msg/testkit';
import { RedisCluster, RedisServer } from '@msg/testkit/redis';
import { expect, test } from 'vitest';
import { silentLogger } from '#src/observability/logger.ts';
import { redisStores } from '#src/stores/redis-stores.ts';

const HOUR = 3_600_000;

/** Sets marks, loses all of the store, and expects them back. */
async function expectMarksBack(address: string, lose: () => Promise<void>): Promise<void> {
  const stores = await redisStores({ address }).open({
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    sinkNames: [],
  });
  const { revocations, redemptions, clusterBus } = stores;
  try {
    const expiry = systemClock.now() + HOUR;
    const cutoff = systemClock.now();
    await revocations.revokeToken('token-1', 'stolen', HOUR);
    await revocations.revokeUser('ann', cutoff, HOUR);
    expect(await redemptions.redeem('refresh-1', expiry)).toBe(true);
    await redemptions.revokeFamily('family-1', expiry);
    await lose();
    const areBack = async (): Promise<boolean> => {
      const { tokenRevoked, userCutoff } = await revocations.lookup('token-1', 'ann');
      return (
        tokenRevoked && userCutoff === Math.round(cutoff) && (await redemptions.isFamilyRevoked('family-1'))
      );
    };
    await eventually('the marks are back', () => areBack().catch(() => false));
    expect(await redemptions.redeem('refresh-1', expiry)).toBe(false);
    expect(await redemptions.redeem('refresh-2', expiry)).toBe(true);
    expect((await revocations.lookup('token-2', 'bob')).tokenRevoked).toBe(false);
  } finally {
    await clusterBus?.close();
  }
}

test('what a node revoked and redeemed is there again after the store has lost it', async () => {
  const server = await RedisServer.start();
  try {
    await expectMarksBack(server.address, () => server.restart());
  } finally {
    await server.stop();
  }
});

test('a revocation that another node has made for longer keeps its time', async () => {
  const server = await RedisServer.start();
  const repeated: unknown[] = [];
  const stores = await redisStores({ address: server.address }).open({
    clock: systemClock,
    random: systemRandom,
    logger: { ...silentLogger, info: (fields: object) => repeated.push(fields) },
    sinkNames: [],
  });
  try {
    await stores.revocations.revokeToken('token-1', 'stolen', HOUR);
    await server.command('SET', 'msg:tb:revoked:token-1', 'longer', 'PX', 48 * HOUR);
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal');
    await eventually('the marks are set again', () => repeated.some(fields => 'marks' in (fields as object)));
    expect(Number(await server.command('PTTL', 'msg:tb:revoked:token-1'))).toBeGreaterThan(47 * HOUR);
  } finally {
    await stores.clusterBus?.close();
    await server.stop();
  }
});

test('and so on a cluster, where a connection to one node is lost', async () => {
  const cluster = await RedisCluster.start();
  try {
    await expectMarksBack(cluster.address, async () => {
      for (const node of cluster.nodes) {
        await node.command('FLUSHALL');
        await node.command('CLIENT', 'KILL', 'TYPE', 'normal');
      }
    });
  } finally {
    await cluster.stop();
  }
});
