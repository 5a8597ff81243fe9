// A node that does not know the questions of operators, as one of an earlier version: it is named, and nothing else breaks
// (console 10).
import { METHODS, type RpcMethodName } from '@msg/core';
import { RealtimeNode } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { openRedis, type RedisStore } from '@msg/redis';
import { DirectClient, eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterNode, readiness, startNode } from '../../support/cluster.ts';
import { closeClients, follow, received, stockClient } from '../../support/stock-client.ts';

const PREFIX = 'older';
const ROOM = 'public:shop.news';

let redis: RedisServer;
let store: RedisStore;
let node: ClusterNode;
let older: RealtimeNode;
let client = '';
let feed = '';

type Row = Readonly<Record<string, unknown>>;
const missing = (body: Row): readonly Row[] => (body['missing_nodes'] ?? []) as readonly Row[]; // as the methods answer

beforeAll(async () => {
  redis = await RedisServer.start();
  node = await startNode(redis.address, PREFIX);
  store = await openRedis({ address: redis.address });
  older = new RealtimeNode({
    policy: { connect: () => ({ user: '' }), subscribe: () => ({}) },
    ...redisBackends([store], { prefix: `${PREFIX}:b:1` }),
  });
  await older.start();
  await node.rpc('OpenPublic', { name: ROOM });
  const reader = stockClient(node.websocketUrl);
  const connected = new Promise<string>(resolve =>
    reader.on('connected', context => resolve(context.client)),
  );
  await follow(reader, ROOM);
  client = await connected;
  await eventually(
    'it is known',
    async () => missing((await node.rpc('ListConnections', {})).body).length > 0,
  );
  const { body } = await node.rpc('OpenFeed', { topics: ['stats'] });
  feed = String(body['feed']);
}, 120_000);
afterAll(async () => {
  closeClients();
  await older.shutdown({ graceMs: 0 });
  store.close();
  await node.stop();
  await redis.stop();
});

/** A request of each method that asks the nodes, and what it finds on this one. */
const REQUESTS: Partial<Record<RpcMethodName, () => readonly [request: object, found: object]>> = {
  ListChannels: () => [{ limit: 10, counts: true }, { subscribers: { [ROOM]: 1 } }],
  PresenceList: () => [{ name: ROOM }, { total: 1, entries: [{ client }] }],
  ListConnections: () => [{}, { total: 1, connections: [{ client }] }],
  GetConnection: () => [{ client }, { connection: { client } }],
  ListUsers: () => [{}, { users: [] }],
  ListNodes: () => [{}, { nodes: [{ connections: 1 }] }],
  KeyUsage: () => [{}, { keys: [{ verdict: 'active' }] }],
  // With a shared store its records are in the store.
  AuditList: () => [{}, { records: expect.any(Array) }],
  Unsubscribe: () => [{ name: ROOM, user: 'stranger' }, { unsubscribed: 0 }],
  Disconnect: () => [{ user: 'stranger' }, { disconnected: 0 }],
};
const OF_THE_STORE: readonly string[] = ['AuditList'];

describe('beside a node that knows no questions', () => {
  it.each(Object.entries(REQUESTS))(
    '%s has what this node knows, and names the other one',
    async (name, of) => {
      const [request, found] = of();
      const { status, body } = await node.rpc(name, request);
      expect([status, body]).toMatchObject([200, found]);
      const expected = OF_THE_STORE.includes(name) ? [] : [{ node: older.id, reason: 'version' }];
      expect(missing(body)).toEqual(expected);
    },
  );

  it('every method that names missing nodes is among these', () => {
    const names = Object.entries(METHODS).flatMap(([name, { response }]) => {
      const { properties = {} } = (response as { schema(use: object): { properties?: object } }).schema({});
      return 'missing_nodes' in properties ? [name] : [];
    });
    expect(Object.keys(REQUESTS).toSorted()).toEqual(names.toSorted());
  });

  it('feeds, tails and recordings work on the nodes that know them', async () => {
    expect((await node.rpc('RenewFeed', { feed })).status).toBe(200);
    const tail = await node.rpc('StartTail', { feed, name: ROOM });
    expect(tail.status).toBe(200);
    expect((await node.rpc('StopTail', { feed, tail: tail.body['tail'] })).status).toBe(200);
    const { body } = await node.rpc('StartRecording', { client });
    expect((await node.rpc('GetRecording', { recording: body['recording'] })).status).toBe(200);
    expect((await node.rpc('StopRecording', { recording: body['recording'] })).status).toBe(200);
    expect((await node.rpc('CloseFeed', { feed })).status).toBe(200);
  });

  it('no token with a role is made, which that node would take for an administrator’s', async () => {
    for (const role of ['viewer', 'operator']) {
      const { status, code, body } = await node.rpc('IssueMgmt', { subject: 'eve', role });
      expect([status, code]).toEqual([503, 'MSG_BROKER_NOT_READY']);
      expect(body['msg']).toContain(older.id);
    }
    expect((await node.rpc('IssueMgmt', { subject: 'ann', role: 'admin' })).status).toBe(200);
  });

  it('publications go both ways, and this node is ready', async () => {
    const there = new DirectClient(older);
    there.send({ connect: {} });
    there.send({ subscribe: { channel: ROOM } });
    await eventually('both are subscribed', async () => {
      const { body } = await node.rpc('PresenceList', { name: ROOM });
      return body['total'] === 1 && there.replies.length > 1;
    });
    const reader = stockClient(node.websocketUrl);
    const { subscription } = await follow(reader, ROOM);
    const publications = received(subscription);
    await node.rpc('Publish', { name: ROOM, json: { n: 1 } });
    await older.publish(ROOM, new TextEncoder().encode('{"n":2}'), { stream: { size: 0, ttlMs: 0 } });
    await eventually('both came here', () => publications.length === 2);
    await eventually('both came there', () => there.replies.filter(({ push }) => push?.pub).length === 2);
    expect((await readiness(node.url)).body.ready).toBe(true);
  });

  it('a token with a role is made once it is gone', async () => {
    await older.shutdown({ graceMs: 0 });
    await eventually(
      'it is forgotten',
      async () => (await node.rpc('IssueMgmt', { subject: 'eve', role: 'viewer' })).status === 200,
    );
  });
});
