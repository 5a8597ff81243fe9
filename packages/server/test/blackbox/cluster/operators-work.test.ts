import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, WebhookReceiver } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterNode, startNode } from '../../support/cluster.ts';
import { closeClients, stockClient } from '../../support/stock-client.ts';

const PREFIX = 'work';
const ROOM = 'public:shop.news';

type Row = Readonly<Record<string, unknown>>;
const rows = (body: Row, member: string): readonly Row[] => body[member] as readonly Row[]; // as the methods answer

let redis: RedisServer;
let hook: WebhookReceiver;
let folder: string;
let config: string;
let nodes: ClusterNode[] = [];

async function start(): Promise<ClusterNode> {
  const node = await startNode(redis.address, PREFIX, { args: ['--config', config] });
  nodes.push(node);
  return node;
}

/** As many letters as that, each with its own body. */
async function park(node: ClusterNode, count: number): Promise<string[]> {
  hook.behaviour = { status: 503 };
  const bodies = Array.from({ length: count }, (_, index) => `letter ${index}`);
  for (const body of bodies)
    await node.rpc('PublishOrSink', { name: 'public:shop.none', sink: 'orders', message: { body } });
  hook.received.length = 0;
  hook.behaviour = { status: 200 };
  return bodies;
}

const jobOf = async (node: ClusterNode, job: unknown): Promise<Row> =>
  rows((await node.rpc('DlqJobs', { job })).body, 'jobs')[0] ?? {};

beforeAll(async () => {
  redis = await RedisServer.start();
  hook = new WebhookReceiver();
  const url = await hook.listen();
  folder = await mkdtemp(join(tmpdir(), 'operators-'));
  config = join(folder, 'msg.yaml');
  await writeFile(
    config,
    `sinks: { orders: { kind: webhook, url: "${url}/hook" } }\nsink_retry: { max_attempts: 1 }\n`,
  );
}, 60_000);
afterEach(async () => {
  closeClients();
  await Promise.all(nodes.map(node => node.stop()));
  nodes = [];
  await redis.command('FLUSHALL');
}, 60_000);
afterAll(async () => {
  await hook.close();
  await rm(folder, { recursive: true });
  await redis.stop();
});

describe('two nodes with one store', () => {
  it('are both in the list of nodes, from either; one that is silent is named', async () => {
    const [a, b] = [await start(), await start()];
    const idsOf = async (node: ClusterNode): Promise<unknown[]> =>
      rows((await node.rpc('ListNodes', {})).body, 'nodes').map(({ id }) => id);
    await eventually('each knows the other', async () => (await idsOf(a)).length === 2);
    expect((await idsOf(b)).toSorted()).toEqual((await idsOf(a)).toSorted());
    for (const row of rows((await b.rpc('ListNodes', {})).body, 'nodes'))
      expect(row).toMatchObject({ ready: true, phase: 'running', connections: 0 });
    b.kill('SIGSTOP');
    try {
      const { body } = await a.rpc('ListNodes', {});
      expect([rows(body, 'nodes').length, body['missing_nodes']]).toMatchObject([1, [{ reason: 'silent' }]]);
      expect(rows(body, 'hints').map(({ name }) => name)).toContain('NodeMissing');
    } finally {
      b.kill('SIGCONT');
    }
  }, 60_000);

  it('count together who rests on a key', async () => {
    const [a, b] = [await start(), await start()];
    await a.rpc('OpenPublic', { name: ROOM });
    const scopes = [{ pattern: 'private:shop.**', verbs: ['subscribe'] }];
    for (const node of [a, b, b]) {
      const { body } = await a.rpc('IssueAccess', { subject: 'ann', scopes });
      const client = stockClient(node.websocketUrl, { token: String(body['access_token']) });
      client.connect();
      await client.ready(20_000);
    }
    const { body } = await a.rpc('GenerateKey', {});
    await a.rpc('PromoteKey', { id: body['id'] });
    for (const node of [a, b]) {
      await eventually('all three rest on the old key', async () => {
        const { keys, missing_nodes } = (await node.rpc('KeyUsage', {})).body as {
          keys: Row[];
          missing_nodes: Row[];
        };
        expect(missing_nodes).toEqual([]);
        const old = keys.find(({ kid }) => kid !== body['id']);
        return old?.['live_connections'] === 3 && old['verdict'] === 'in_use';
      });
    }
  }, 60_000);

  it('a job whose node is killed goes on at the other, and no letter is sent twice', async () => {
    const [a, b] = [await start(), await start()];
    const bodies = await park(a, 30);
    const begun = (await a.rpc('DlqRedrive', { sink: 'orders', all: true, per_second: 10, concurrency: 2 }))
      .body;
    const { id } = begun['job'] as Row; // as the method answers
    expect((await b.rpc('DlqRedrive', { sink: 'orders', all: true })).body['msg']).toBe(
      `job ${id} sends letters of orders already: wait for its end, or stop it`,
    );
    await hook.got(5);
    a.kill('SIGKILL');
    await a.exited();
    await eventually(
      'it is interrupted',
      async () => (await jobOf(b, id))['state'] === 'interrupted',
      40_000,
    );
    await eventually(
      'it goes on',
      async () => (await b.rpc('DlqRedrive', { resume: id })).status === 200,
      10_000,
    );
    await eventually('it ends', async () => (await jobOf(b, id))['state'] === 'done', 30_000);
    const job = await jobOf(b, id);
    expect(job).toMatchObject({ matched: 30, parked: 0, remaining: 0 });
    const sends = hook.received.map(({ body }) => (JSON.parse(body) as { body: string }).body);
    expect(new Set(sends).size).toBe(sends.length);
    expect(bodies.filter(body => !sends.includes(body)).length).toBeLessThanOrEqual(2);
  }, 120_000);

  it('a discard is taken back at the other node after the first has died; after its time it is final', async () => {
    const [a, b] = [await start(), await start()];
    await park(a, 4);
    const before = rows((await a.rpc('DlqList', { sink: 'orders' })).body, 'items');
    const [{ group } = {}] = before;
    const { body } = await a.rpc('DlqDiscard', { sink: 'orders', group, undo_seconds: 60 });
    a.kill('SIGKILL');
    await a.exited();
    expect((await b.rpc('DlqCount', { sink: 'orders' })).body).toEqual({ count: 0 });
    expect((await b.rpc('DlqRestore', { ids: body['ids'] })).body).toEqual({ restored: 4 });
    expect(rows((await b.rpc('DlqList', { sink: 'orders' })).body, 'items')).toEqual(before);
    await b.rpc('DlqDiscard', { sink: 'orders', group, undo_seconds: 1 });
    await eventually('they are removed', async () => {
      await b.rpc('DlqCount', { sink: 'orders' });
      return (await redis.command('XLEN', `${PREFIX}:dlq:orders`)) === 0;
    });
    expect((await b.rpc('DlqRestore', { ids: body['ids'] })).body).toEqual({ restored: 0 });
  }, 60_000);
});
