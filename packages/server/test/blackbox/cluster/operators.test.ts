import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterNode, startNode, startNodes } from '../../support/cluster.ts';
import { rpcOf } from '../../support/rpc.ts';
import { closeClients, stockClient } from '../../support/stock-client.ts';

const ROOM = 'public:shop.news';

let redis: RedisServer;
let a: ClusterNode;
let b: ClusterNode;

beforeAll(async () => {
  redis = await RedisServer.start();
  [a, b] = (await startNodes(2, redis.address, 'operators')) as [ClusterNode, ClusterNode];
  await a.rpc('OpenPublic', { name: ROOM });
}, 120_000);
afterAll(async () => {
  closeClients();
  await Promise.all([a, b].map(node => node.stop()));
  await redis.stop();
});

/** A subscriber of the room at a node, with its id and the code that ends its subscription. */
async function subscriber(node: ClusterNode, user: string) {
  const scopes = [{ pattern: 'private:shop.**', verbs: ['subscribe'] }];
  const { body } = await a.rpc('IssueAccess', { subject: user, scopes });
  const client = stockClient(node.websocketUrl, { token: String(body['access_token']) });
  const ids = new Promise<string>(resolve => client.on('connected', context => resolve(context.client)));
  const ended = new Promise<number>(resolve => client.on('disconnected', ({ code }) => resolve(code)));
  const subscription = client.newSubscription(ROOM);
  const unsubscribed = new Promise<number>(resolve =>
    subscription.on('unsubscribed', ({ code }) => resolve(code)),
  );
  subscription.subscribe();
  client.connect();
  await subscription.ready(20_000);
  return { id: await ids, ended, unsubscribed };
}

type Row = Readonly<Record<string, unknown>>;
const rows = (body: Row, member: string): readonly Row[] => body[member] as readonly Row[]; // as the methods answer

describe('operators on two nodes', () => {
  it('see and end the connections of both, from either', async () => {
    const [here, there, other] = [
      await subscriber(a, 'ann'),
      await subscriber(b, 'ann'),
      await subscriber(b, 'ben'),
    ];
    for (const node of [a, b]) {
      const { body } = await node.rpc('ListConnections', { name: ROOM, limit: 2, sort: 'user' });
      expect([rows(body, 'connections').length, body['total'], body['missing_nodes']]).toEqual([2, 3, []]);
      const next = await node.rpc('ListConnections', {
        name: ROOM,
        limit: 2,
        sort: 'user',
        cursor: body['next_cursor'],
      });
      const ids = [body, next.body].flatMap(page => rows(page, 'connections').map(row => row['client']));
      expect(ids.toSorted()).toEqual([here.id, there.id, other.id].toSorted());
      const found = (await node.rpc('GetConnection', { client: there.id })).body['connection'];
      expect(found).toMatchObject({ user: 'ann', client: there.id });
      const users = (await node.rpc('ListUsers', {})).body;
      expect(rows(users, 'users').map(({ user, connections }) => [user, connections])).toEqual([
        ['ann', 2],
        ['ben', 1],
      ]);
      expect(rows(users, 'users')[0]?.['nodes']).toHaveLength(2);
      expect((await node.rpc('PresenceList', { name: ROOM })).body['total']).toBe(3);
    }
    expect((await a.rpc('Unsubscribe', { name: ROOM, client: other.id })).body['unsubscribed']).toBe(1);
    expect(await other.unsubscribed).toBe(2000);
    expect((await b.rpc('Disconnect', { user: 'ann' })).body['disconnected']).toBe(2);
    expect([await here.ended, await there.ended]).toEqual([3503, 3503]);
  });

  it('record a connection of the other node, without its token and payloads', async () => {
    const there = await subscriber(b, 'ann');
    const { body } = await a.rpc('StartRecording', { client: there.id });
    const recording = String(body['recording']);
    await a.rpc('Publish', { name: ROOM, json: { text: 'not-for-the-recording' } });
    await eventually('the publication is in the recording', async () => {
      const page = (await a.rpc('GetRecording', { recording })).body;
      expect(JSON.stringify(page)).not.toContain('not-for-the-recording');
      return rows(page, 'frames').some(({ name, channel }) => name === 'publication' && channel === ROOM);
    });
    expect((await a.rpc('GetConnection', { client: there.id })).body['connection']).toMatchObject({
      recording: true,
    });
    expect((await a.rpc('StopRecording', { recording })).status).toBe(200);
    expect((await b.rpc('GetRecording', { recording })).body['state']).toBe('stopped');
    expect((await a.rpc('StartRecording', { client: 'nowhere' })).code).toBe('MSG_INVALID_ARGUMENT');
    await a.rpc('Disconnect', { client: there.id });
    await there.ended;
  });

  it('look at a channel through a feed of the other node, and count nowhere', async () => {
    // A feed is of the credential that opened it.
    const there = rpcOf(b.url, a.token);
    const { body } = await a.rpc('OpenFeed', { topics: ['stats'] });
    const client = stockClient(b.websocketUrl, { token: String(body['access_token']) });
    const told: { readonly topic: string; readonly data: Row }[] = [];
    const subscription = client.newSubscription(String(body['channel']));
    subscription.on('publication', ({ data }) => void told.push(data));
    subscription.subscribe();
    client.connect();
    await subscription.ready(20_000);
    const started = (await there('StartTail', { feed: body['feed'], name: ROOM, max_per_second: 5 })).body;
    for (let n = 1; n <= 20; n++) await (n % 2 === 0 ? a : b).rpc('Publish', { name: ROOM, json: { n } });
    const top = Number(started['offset']) + 20;
    const batches = () => told.filter(({ topic }) => topic === 'tail').map(({ data }) => data);
    await eventually('the last offset', () => batches().at(-1)?.['to_offset'] === top);
    const items = batches().flatMap(batch => rows(batch, 'items'));
    expect(items.length + Number(batches().at(-1)?.['skipped'])).toBe(20);
    expect((await a.rpc('Presence', { name: ROOM })).body['subscribers']).toBe(0);
    await eventually('numbers of both nodes', () =>
      told.some(({ topic, data }) => topic === 'stats' && rows(data, 'nodes').length === 2),
    );
    expect((await there('RenewFeed', { feed: body['feed'] })).status).toBe(200);
    expect((await there('StopTail', { feed: body['feed'], tail: started['tail'] })).status).toBe(200);
    expect((await there('CloseFeed', { feed: body['feed'] })).status).toBe(200);
  });

  it('close a channel for both; what one does the other finds in the audit', async () => {
    await a.rpc('OpenPublic', { name: 'public:shop.brief' });
    expect((await a.rpc('CloseChannel', { name: 'public:shop.brief' })).status).toBe(200);
    await eventually('the other node refuses', async () => {
      const { code } = await b.rpc('Publish', { name: 'public:shop.brief', json: 1 });
      return code === 'MSG_CHANNEL_CLOSED';
    });
    const { body } = await b.rpc('AuditList', { target: 'public:shop.brief' });
    expect(rows(body, 'records').map(({ method, outcome }) => [method, outcome])).toEqual([
      ['CloseChannel', 'ok'],
      ['OpenPublic', 'ok'],
    ]);
  });

  it('read a history without making one', async () => {
    await a.rpc('OpenPublic', { name: 'public:shop.quiet' });
    const { body } = await b.rpc('History', { name: 'public:shop.quiet' });
    expect(body).toMatchObject({ offset: 0, epoch: '', publications: [] });
    await a.rpc('Publish', { name: 'public:shop.quiet', json: { n: 1 } });
    expect((await b.rpc('History', { name: 'public:shop.quiet' })).body).toMatchObject({
      offset: 1,
      publications: [{ data: '{"n":1}', encoding: 'json' }],
    });
  });

  it('are told of a node that does not answer', async () => {
    const silent = await startNode(redis.address, 'operators');
    await subscriber(silent, 'sue');
    const answer = async () => (await a.rpc('ListConnections', { user: 'sue' })).body;
    await eventually('the first node knows the third', async () => (await answer())['total'] === 1);
    silent.kill('SIGSTOP');
    try {
      expect(await answer()).toMatchObject({ total: 0, missing_nodes: [{ reason: 'silent' }] });
    } finally {
      silent.kill('SIGCONT');
      await silent.stop();
    }
  });
});
