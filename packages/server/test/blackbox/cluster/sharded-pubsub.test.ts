import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, runMsg } from '@msg/testkit';
import { RedisCluster, RedisServer } from '@msg/testkit/redis';
import { afterEach, describe, expect, test } from 'vitest';
import { readiness, startNodes } from '../../support/cluster.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { closeClients, received, stockClient } from '../../support/stock-client.ts';

const WAIT_MS = 60_000;
const START_MS = 120_000;
const PARTITIONS = 4;
const NAME = 'public:chat.room.42';
/** Client protocol 16.1: its partition among 4 is 2. */
const TAG = '{2}';

async function configFile(partitions: number): Promise<string> {
  const config = join(await temporaryFolder(), 'msg.yaml');
  await writeFile(config, `redis: { sharded_pubsub_partitions: ${partitions} }\n`);
  return config;
}

async function refusal(address: string, partitions: number): Promise<string> {
  const config = await configFile(partitions);
  const args = ['serve', '--addr', '127.0.0.1:0', '--redis-addr', address, '--config', config];
  const { code, stderr } = await runMsg(args);
  expect(code).toBe(1);
  return stderr;
}

describe('redis.sharded_pubsub_partitions', () => {
  afterEach(closeClients);

  test(
    'spreads the channels of all nodes over so many slots of the cluster',
    async () => {
      const cluster = await RedisCluster.start();
      const options = { args: ['--config', await configFile(PARTITIONS)] };
      const nodes = await startNodes(2, cluster.address, 'shd', options);
      const [one, other] = nodes;
      try {
        await one?.rpc('OpenPublic', { name: NAME });
        const client = stockClient(other?.websocketUrl ?? '');
        const subscription = client.newSubscription(NAME);
        const publications = received(subscription);
        subscription.subscribe();
        client.connect();
        await subscription.ready(WAIT_MS);
        for (const node of nodes) await node.rpc('Publish', { name: NAME, data: 'e30=' });
        await eventually('both arrive', () => publications.length === 2, WAIT_MS);

        const owner = cluster.nodes[await cluster.ownerOf(await cluster.slotOf(TAG))];
        expect(await owner?.command('XLEN', `shd:b:1.stream.${TAG}.${NAME}`)).toBe(2);
        const heard = await owner?.command('PUBSUB', 'SHARDCHANNELS', 'shd:b:1.client.*');
        expect(heard).toEqual([`shd:b:1.client.${TAG}.${NAME}`]);
        for (const node of nodes) expect(await readiness(node.url)).toMatchObject({ status: 200 });
      } finally {
        await Promise.all(nodes.map(node => node.stop()));
        await cluster.stop();
      }
    },
    START_MS,
  );

  test(
    'is refused where the servers of the cluster are too old for it',
    async () => {
      const cluster = await RedisCluster.start({ config: [['rename-command', 'SSUBSCRIBE', '']] });
      try {
        expect(await refusal(cluster.address, PARTITIONS)).toMatch(
          /^error: MSG_INVALID_ARGUMENT: redis\.sharded_pubsub_partitions: needs Redis 7 or newer on every node of /m,
        );
      } finally {
        await cluster.stop();
      }
    },
    START_MS,
  );

  test('is refused without a cluster, and above the bound', async () => {
    const server = await RedisServer.start();
    try {
      const key = 'error: MSG_INVALID_ARGUMENT: redis.sharded_pubsub_partitions:';
      expect(await refusal(server.address, 1)).toContain(`${key} needs a cluster, and ${server.address}`);
      expect(await refusal(server.address, 1025)).toContain(
        `${key} must be a whole number from 0 to 1024; got 1025`,
      );
    } finally {
      await server.stop();
    }
  });
});
