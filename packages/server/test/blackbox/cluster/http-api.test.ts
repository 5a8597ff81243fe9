import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, RoundRobinProxy } from '@msg/testkit';
import { type RunningStore, startTopology, TOPOLOGIES } from '@msg/testkit/redis';
import { Centrifuge } from 'centrifuge';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { digestOf } from '#src/auth/api-keys/secret.ts';
import { type ClusterNode, startNodes } from '../../support/cluster.ts';

const WAIT_MS = 60_000;
const KEY = 'key-of-a-backend-of-two-nodes-000';
const CONFIG = `
auth:
  api_keys: [{ name: backend, sha256: ${digestOf(KEY)} }]
api: { enabled: true, open_channels: auto, bare_names: 'public:app.' }
channels: [{ pattern: 'public:**', presence: true }]
`;

/** What a backend is answered. */
interface Answer {
  readonly result?: Record<string, unknown>;
  readonly replies?: readonly object[];
  readonly error?: { readonly code: number };
}

/** A stock client whose stream is held open, with what only its transport knows. */
interface Emulated {
  readonly client: Centrifuge;
  /** The session that its commands name. */
  readonly session: string;
  readonly id: string;
  readonly received: unknown[];
  readonly ended: number[];
}

const folder = mkdtempSync(join(tmpdir(), 'msg-http-api-cluster-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(TOPOLOGIES)('the HTTP API of two nodes behind a round-robin proxy, %s', topology => {
  let store: RunningStore;
  let nodes: ClusterNode[];
  let proxy: RoundRobinProxy;

  beforeAll(async () => {
    const config = join(folder, 'msg.yaml');
    writeFileSync(config, CONFIG);
    store = await startTopology(topology);
    nodes = await startNodes(2, store.address, 'api', { args: ['--config', config] });
    proxy = await RoundRobinProxy.start(nodes.map(node => node.url));
  }, 120_000);
  afterAll(async () => {
    await proxy.stop();
    await Promise.all(nodes.map(node => node.stop()));
    await store.stop();
  });

  async function api(method: string, members: object): Promise<Answer> {
    const response = await fetch(`${proxy.url}/api/${method}`, {
      method: 'POST',
      headers: { 'x-api-key': KEY },
      body: JSON.stringify(members),
    });
    expect(response.status, method).toBe(200);
    return (await response.json()) as Answer; // the API answers JSON objects only
  }

  /** One request per node: nothing is sticky, and all nodes answer alike. */
  async function alike(method: string, members: object): Promise<Answer> {
    const [first, second] = [await api(method, members), await api(method, members)];
    expect(second, method).toEqual(first);
    return first;
  }

  /** A connection of a user, or an anonymous one, that has sent a command through the emulation endpoint. */
  async function emulated(transport: 'http_stream' | 'sse', user: string): Promise<Emulated> {
    let token = '';
    if (user !== '') {
      const scopes = [{ pattern: 'private:app.**', verbs: ['subscribe'] }];
      const { body } = await (nodes[0] as ClusterNode).rpc('IssueAccess', { subject: user, scopes });
      token = String(body['access_token']);
    }
    let session = '';
    const client = new Centrifuge([{ transport, endpoint: `${proxy.url}/connection/${transport}` }], {
      token,
      emulationEndpoint: `${proxy.url}/emulation`,
      eventsource: EventSource,
      fetch: (url: string, init: { body: string }) => {
        if (url.endsWith('/emulation')) ({ session } = JSON.parse(init.body));
        return fetch(url, init);
      },
    });
    onTestFinished(() => client.disconnect());
    const [received, ended]: [unknown[], number[]] = [[], []];
    client.on('publication', ({ data }) => received.push(data));
    client.on('disconnected', ({ code }) => ended.push(code));
    const connected = new Promise<string>(resolve => client.on('connected', ({ client: id }) => resolve(id)));
    client.connect();
    const id = await connected;
    const subscription = client.newSubscription('public:app.lobby');
    subscription.subscribe();
    await subscription.ready(WAIT_MS);
    return { client, session, id, received, ended };
  }

  /** Who is in a channel, by the ids of the connections. */
  async function present(channel: string): Promise<string[]> {
    const { result } = await api('presence', { channel });
    return Object.keys((result?.['presence'] ?? {}) as object);
  }

  it.each([
    ['http_stream', 'ann'],
    ['sse', 'ann'],
    ['http_stream', ''],
  ] as const)('reaches one session of several: %s, user %j', async (transport, user) => {
    await api('publish', { channel: 'lobby', data: 'opens' });
    const channel = `own.${transport}${user}`;
    await api('publish', { channel, data: 'opens' });
    const [one, two] = [await emulated(transport, user), await emulated(transport, user)];
    expect(one.session).toMatch(/./);
    expect(one.session).not.toBe(two.session);

    expect(await api('subscribe', { user, channel, session: one.session })).toEqual({ result: {} });
    await eventually('one of them is in', async () => (await present(channel)).length > 0, WAIT_MS);
    expect(await present(channel)).toEqual([one.id]);
    await api('publish', { channel, data: 1 });
    await eventually('it receives', () => one.received.length === 1, WAIT_MS);
    await api('unsubscribe', { user, channel, session: two.session });
    await api('publish', { channel, data: 2 });
    await eventually('it still receives', () => one.received.length === 2, WAIT_MS);
    await api('unsubscribe', { user, channel, session: one.session });
    await eventually('it is out', async () => (await present(channel)).length === 0, WAIT_MS);

    expect(await api('disconnect', { user, session: 'unknown' })).toEqual({ result: {} });
    const disconnect = { code: 4501, reason: 'enough' };
    await api('disconnect', { user, session: two.session, disconnect });
    await eventually('the other is cut', () => two.ended.length === 1, WAIT_MS);
    expect([two.ended, two.received, one.ended]).toEqual([[4501], [], []]);
    expect(await present('lobby')).toContain(one.id);
  });

  it('answers alike on both nodes, and changes what both have', async () => {
    const [a, b] = ['both.a', 'both.b'];
    const offsets: unknown[] = [];
    for (const data of [1, 2, 3])
      offsets.push((await api('publish', { channel: a, data })).result?.['offset']);
    expect(offsets).toEqual([1, 2, 3]);
    const once = { channel: a, data: 4, idempotency_key: 'once' };
    expect((await alike('publish', once)).result).toMatchObject({ offset: 4 });
    const broadcast = await api('broadcast', { channels: [a, b, 'other:c'], data: 5 });
    expect(broadcast.result?.['responses']).toMatchObject([
      { result: { offset: 5 } },
      { result: { offset: 1 } },
      { error: { code: 102 } },
    ]);
    const commands = [
      { publish: { channel: a, data: 6 } },
      { presence_stats: { channel: a } },
      { unknown: {} },
    ];
    for (const [index, parallel] of [true, false].entries())
      expect((await api('batch', { commands, parallel })).replies).toMatchObject([
        { publish: { offset: 6 + index } },
        { presence_stats: { num_clients: 0, num_users: 0 } },
        { error: { code: 104 } },
      ]);
    const { result = {} } = await alike('history', { channel: a, limit: -1 });
    expect((result['publications'] as { data: number }[]).map(({ data }) => data)).toEqual([
      1, 2, 3, 4, 5, 6, 6,
    ]);
    const since = { offset: 5, epoch: result['epoch'] };
    expect((await alike('history', { channel: a, limit: 1, since })).result).toMatchObject({
      publications: [{ offset: 6 }],
    });
    expect(await alike('history', { channel: a, limit: 1, since: { offset: 1, epoch: 'x' } })).toMatchObject({
      error: { code: 112 },
    });
    expect(await alike('history_remove', { channel: a })).toEqual({ result: {} });
    expect((await alike('history', { channel: a, limit: -1 })).result).toMatchObject({
      publications: [],
      offset: 7,
    });
  });

  it('sees the connections of both nodes', async () => {
    await api('publish', { channel: 'lobby', data: 'opens' });
    const clients = [
      await emulated('http_stream', 'bob'),
      await emulated('sse', 'bob'),
      await emulated('http_stream', 'cleo'),
    ];
    const counts = async (): Promise<unknown> => (await api('presence_stats', { channel: 'lobby' })).result;
    await eventually(
      'all are in',
      async () => JSON.stringify(await counts()) === '{"num_clients":3,"num_users":2}',
      WAIT_MS,
    );
    const counted = '{"channels":{"public:app.lobby":{"num_clients":3}}}';
    await eventually(
      'both nodes count them',
      async () => {
        const answers = [1, 2].map(() => api('channels', { pattern: 'public:app.l*' }));
        return (await Promise.all(answers)).every(({ result }) => JSON.stringify(result) === counted);
      },
      WAIT_MS,
    );
    await eventually(
      'both nodes know how many',
      async () => {
        const infos = [await api('info', {}), await api('info', {})];
        return infos.every(({ result }) => {
          const all = (result?.['nodes'] ?? []) as { num_clients: number }[];
          return all.length === 2 && all.reduce((sum, { num_clients }) => sum + num_clients, 0) === 3;
        });
      },
      WAIT_MS,
    );
    expect(await alike('refresh', { user: 'bob', expire_at: Math.floor(Date.now() / 1000) + 600 })).toEqual({
      result: {},
    });
    await api('disconnect', { user: 'bob', whitelist: [clients[0]?.id] });
    await eventually('one of bob’s is cut', () => clients[1]?.ended.length === 1, WAIT_MS);
    await api('invalidate_user_tokens', { user: 'bob' });
    expect([clients[0]?.ended, clients[1]?.ended, clients[2]?.ended]).toEqual([[], [3503], []]);
    expect(await alike('rpc', { method: 'none' })).toMatchObject({ error: { code: 104 } });
  });
});
