import { systemClock } from '@msg/foundation/clock';
import { eventually } from '@msg/testkit';
import { RedisSentinels, RedisServer, SENTINEL_MASTER } from '@msg/testkit/redis';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseStoreAddress } from '#src/address.ts';
import { commandClient } from '#src/clients.ts';

const WAIT_MS = 60_000;
const SWITCHED = '+switch-master';

describe('a client on Sentinel', () => {
  let sentinels: RedisSentinels;
  /** Says what a Sentinel says, when the test wants it. */
  let announcer: RedisServer;
  let client: Redis;
  let closed = 0;

  beforeAll(async () => {
    [sentinels, announcer] = await Promise.all([RedisSentinels.start({ replicas: 1 }), RedisServer.start()]);
    const [first] = sentinels.sentinels;
    const address = `redis+sentinel://${first?.address},${announcer.address}/${SENTINEL_MASTER}`;
    client = commandClient(parseStoreAddress(address), {}, systemClock) as Redis;
    client.on('error', () => {});
    client.on('close', () => closed++);
    await client.connect();
    const listens = async () =>
      ((await announcer.command('PUBSUB', 'NUMSUB', SWITCHED)) as [string, number])[1] > 0;
    await eventually('it listens to every Sentinel', listens, WAIT_MS);
  }, 180_000);
  afterAll(async () => {
    client.disconnect();
    await Promise.all([sentinels.stop(), announcer.stop()]);
  });

  async function announce(master: string, port: number): Promise<void> {
    await announcer.command('PUBLISH', SWITCHED, `${master} 127.0.0.1 1 127.0.0.1 ${port}`);
    for (let asked = 0; asked < 200; asked++) await client.ping().catch(() => {});
  }

  it('stays when a Sentinel names the master it is connected to, as the late ones do', async () => {
    await announce(SENTINEL_MASTER, sentinels.master.port);
    expect(closed).toBe(0);
  });

  it('stays when a Sentinel names a new master of another name', async () => {
    await announce('another', 1);
    expect(closed).toBe(0);
  });

  it('connects anew when a Sentinel names another master', async () => {
    await announce(SENTINEL_MASTER, sentinels.replicas[0]?.port ?? 0);
    await eventually('it left', () => closed === 1, WAIT_MS);
    await eventually('it is back', () => client.status === 'ready', WAIT_MS);
  });
});
