import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ClusterNode, startNodes } from '../../support/cluster.ts';
import { closeClients, received, stockClient } from '../../support/stock-client.ts';

let redis: RedisServer;
let nodes: ClusterNode[];
beforeAll(async () => {
  redis = await RedisServer.start();
  nodes = await startNodes(2, redis.address, 'schemas');
});
afterEach(closeClients);
afterAll(async () => {
  await Promise.all(nodes.map(node => node.stop()));
  await redis.stop();
});

test('two nodes answer alike, and each change is broadcast once', async () => {
  const [a, b] = nodes as [ClusterNode, ClusterNode];
  const client = stockClient(b.websocketUrl);
  const subscription = client.newSubscription('public:msg.registry.schemas');
  const changes = received(subscription);
  subscription.subscribe();
  client.connect();
  await subscription.ready(60_000);

  const versions = async (node: ClusterNode) => {
    const { patterns } = (await (await fetch(`${node.url}/msg/schemas`)).json()) as {
      patterns: { pattern: string; version: number }[];
    };
    return patterns.map(({ pattern, version }) => `${pattern} ${version}`);
  };
  await a.rpc('RegisterSchema', { schema: { pattern: 'a.{id}' } });
  await b.rpc('UpdateSchema', { schema: { pattern: 'a.{id}' } });
  await b.rpc('RegisterSchema', { schema: { pattern: 'b' } });
  expect((await a.rpc('RegisterSchema', { schema: { pattern: 'b' } })).status).toBe(409);
  await a.rpc('DeregisterSchema', { pattern: 'b' });
  for (const node of nodes) {
    await eventually('the same everywhere', async () => (await versions(node)).join() === 'a.{id} 2');
  }
  const kinds = () =>
    changes.map(({ data }) => {
      const { kind, pattern } = data as { kind: string; pattern: string }; // JSON objects
      return `${kind} ${pattern}`;
    });
  await eventually('four changes', () => kinds().length === 4);
  // Changes of different nodes are published by these, so only those of one node keep their order.
  expect(kinds().toSorted()).toEqual([
    'deregistered b',
    'registered a.{id}',
    'registered b',
    'updated a.{id}',
  ]);

  const together = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      (at % 2 === 0 ? a : b).rpc('RegisterSchema', { schema: { pattern: `many.${at}` } }),
    ),
  );
  expect(together.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  await eventually('fourteen changes, each once', () => kinds().length === 14);
  expect(new Set(kinds()).size).toBe(14);
});
