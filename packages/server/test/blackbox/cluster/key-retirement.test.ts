import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClusterNode, startNode } from '../../support/cluster.ts';
import { rpcOf } from '../../support/rpc.ts';
import { closeClients, follow, stockClient } from '../../support/stock-client.ts';

const CHANNEL = 'private:shop.order.1';

type Row = Readonly<Record<string, unknown>>;

let redis: RedisServer;
const nodes: ClusterNode[] = [];
async function start(): Promise<ClusterNode> {
  const node = await startNode(redis.address, 'retire');
  nodes.push(node);
  return node;
}
beforeAll(async () => {
  redis = await RedisServer.start();
}, 60_000);
afterAll(async () => {
  closeClients();
  await Promise.all(nodes.map(node => node.stop()));
  await redis.stop();
}, 60_000);

/** A client whose token is signed by the active key, subscribed at a node. */
async function listener(node: ClusterNode, issuer: ClusterNode, subject: string) {
  const scopes = [{ pattern: 'private:shop.**', verbs: ['subscribe'] }];
  const { body } = await issuer.rpc('IssueAccess', { subject, scopes });
  return follow(stockClient(node.websocketUrl, { token: String(body['access_token']) }), CHANNEL);
}

/** A management token of the active key, used at a node. */
async function operator(node: ClusterNode, issuer: ClusterNode, subject: string): Promise<string> {
  const { body } = await issuer.rpc('IssueMgmt', { subject });
  const token = String(body['mgmt_token']);
  expect((await rpcOf(node.url, token)('WhoAmI', {})).status).toBe(200);
  return token;
}

test('a key that is retired too early breaks who was named or counted before, on two nodes and after a restart', async () => {
  const [a, b] = [await start(), await start()];
  await a.rpc('CreatePrivate', { name: CHANNEL });
  const [{ id: old }] = (await a.rpc('ListKeys', {})).body['keys'] as [Row]; // the one key of a new service
  const lea = await listener(a, a, 'lea');
  const [bea, ben] = [await operator(a, a, 'bea'), await operator(b, a, 'ben')];
  const next = (await a.rpc('GenerateKey', {})).body['id'];
  await a.rpc('PromoteKey', { id: next });
  await eventually('the other node signs with the new key', async () => {
    const keys = (await b.rpc('ListKeys', {})).body['keys'] as Row[]; // as the method answers
    return keys.some(({ id, role }) => id === next && role === 'active');
  });
  const lou = await listener(b, b, 'lou');
  const ann = await operator(b, b, 'ann');

  // The node that knew ben ends; another one takes its place.
  await b.stop();
  const c = await start();
  await eventually('its listener is gone with it', () => lou.subscription.state !== 'subscribed');
  const zoe = await listener(c, c, 'zoe');
  const usage = async (): Promise<Row> => {
    const { body } = await rpcOf(c.url, ann)('KeyUsage', {});
    expect(body['missing_nodes']).toEqual([]);
    return (body['keys'] as Row[]).find(({ kid }) => kid === old) ?? {};
  };
  await eventually('only the two nodes answer', async () => {
    const { body } = await rpcOf(c.url, ann)('ListNodes', {});
    return (body['nodes'] as Row[]).length === 2 && (body['missing_nodes'] as Row[]).length === 0;
  });
  const row = await usage();
  expect(row).toMatchObject({ verdict: 'in_use', live_connections: 1, live_subscriptions: 1 });
  const holders = (row['holders'] as Row[]).map(({ sub, type }) => `${type} ${sub}`);
  expect(holders).toEqual(expect.arrayContaining(['access lea', 'mgmt bea']));
  expect(holders).not.toEqual(expect.arrayContaining(['access zoe']));
  // Nobody knows ben's name any more; that there are such tokens, and until when, is still known.
  const { mgmt: until } = row['issued_until'] as Readonly<Record<string, string>>;
  const { mgmt: seen } = row['seen_last'] as Readonly<Record<string, string>>;
  expect([Date.parse(until ?? '') > Date.now(), Date.parse(seen ?? '') > 0]).toEqual([true, true]);

  expect((await rpcOf(c.url, ann)('RetireKey', { id: old })).status).toBe(200);
  expect([103, 2000, 2500, 3500]).toContain(await lea.ended);
  for (const node of [a, c]) {
    await eventually('the old key opens nothing', async () => {
      const statuses = [bea, ben, a.token].map(
        async token => (await rpcOf(node.url, token)('WhoAmI', {})).status,
      );
      return (await Promise.all(statuses)).every(status => status === 401);
    });
    for (const token of [ann, c.token]) expect((await rpcOf(node.url, token)('WhoAmI', {})).status).toBe(200);
  }
  expect(zoe.subscription.state).toBe('subscribed');
}, 120_000);
