import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, RawClient, runMsg, WebhookReceiver } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#src/auth/api-keys/secret.ts';
import { type ClusterNode, startNodes } from '../../support/cluster.ts';
import { rpcOf } from '../../support/rpc.ts';

const FIRST = 'first-key-of-the-configuration-01';
const SECOND = 'second-key-of-the-configuration-2';

const configOf = (...keys: readonly string[]): string => `
auth:
  api_keys: [{ name: declared, sha256: [${keys.map(digestOf).join(', ')}] }]
api: { enabled: true, open_channels: auto, bare_names: 'public:app.' }
channels:
  - { pattern: 'public:**', presence: true, history_size: 10000 }
`;

let redis: RedisServer;
let collector: WebhookReceiver;
let nodes: ClusterNode[];
let folder: string;
let config: string;
/** Every key text of the run: none may be found anywhere. */
const texts: string[] = [FIRST, SECOND];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'msg-rotation-'));
  config = join(folder, 'msg.yaml');
  await writeFile(config, configOf(FIRST));
  redis = await RedisServer.start();
  collector = new WebhookReceiver({ status: 200, headers: { 'content-type': 'application/x-protobuf' } });
  const env = { MSG_OTLP_ENDPOINT: await collector.listen() };
  nodes = await startNodes(2, redis.address, 'rotation', { args: ['--config', config], env });
}, 120_000);
afterAll(async () => {
  await Promise.all(nodes.map(node => node.stop()));
  await collector.close();
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

const nodeAt = (index: number): ClusterNode => {
  const node = nodes[index % nodes.length];
  if (node === undefined) throw new Error('no node');
  return node;
};

async function api(node: ClusterNode, method: string, members: object, key: string): Promise<Response> {
  return fetch(`${node.url}/api/${method}`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: JSON.stringify(members),
  });
}

/** A backend that publishes 200 a second, in turns at each node, by the HTTP API and by the RPC, with the key of the moment. */
class Backend {
  key: string;
  readonly refused: string[] = [];
  published = 0;
  readonly #channel: string;
  readonly #timer: NodeJS.Timeout;
  readonly #underWay = new Set<Promise<void>>();
  #sent = 0;

  constructor(key: string, channel: string) {
    this.key = key;
    this.#channel = channel;
    this.#timer = setInterval(() => this.#publish(), 5);
  }

  #publish(): void {
    const turn = this.#sent++;
    const call = this.#call(nodeAt(turn), turn % 4 < 2).finally(() => this.#underWay.delete(call));
    this.#underWay.add(call);
  }

  async #call(node: ClusterNode, viaApi: boolean): Promise<void> {
    const response = viaApi
      ? await api(node, 'publish', { channel: this.#channel, data: 1 }, this.key)
      : await fetch(`${node.url}/twirp/msg.MsgService/Publish`, {
          method: 'POST',
          headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name: `public:app.${this.#channel}`, json: 1 }),
        });
    const text = await response.text();
    if (response.status === 200 && !text.includes('error')) this.published++;
    else this.refused.push(`${response.status} ${text}`);
  }

  /** As many more publications as a second holds. */
  async goOn(): Promise<void> {
    const wanted = this.published + 200;
    await eventually('200 publications', () => this.published >= wanted || this.refused.length > 0);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
  }
}

const status = async (node: ClusterNode, key: string) => (await api(node, 'info', {}, key)).status;
const everywhere = (key: string, expected: number) =>
  eventually(`${expected} on every node`, async () => {
    const got = await Promise.all(nodes.map(node => status(node, key)));
    return got.every(code => code === expected);
  });

describe('a backend that publishes 200 a second on two nodes', () => {
  it('rotates its key by RPC, with an overlap, without a refused call', async () => {
    const create = await rpcOf(nodeAt(0).url, nodeAt(0).token)('CreateApiKey', { name: 'shop' });
    const old = String(create.body['key']);
    texts.push(old);
    await everywhere(old, 200);
    await api(nodeAt(0), 'publish', { channel: 'rotation.rpc', data: 0 }, old);
    const backend = new Backend(old, 'rotation.rpc');
    await backend.goOn();
    const overlap = { name: 'shop', overlap_seconds: 20 };
    const rotated = await rpcOf(nodeAt(1).url, old)('RotateApiKey', overlap);
    const next = String(rotated.body['key']);
    texts.push(next);
    await everywhere(next, 200);
    backend.key = next;
    await backend.goOn();
    await everywhere(old, 401);
    await backend.goOn();
    await backend.stop();
    expect(backend.refused).toEqual([]);
    expect((await api(nodeAt(0), 'info', {}, old)).headers.get('x-msg-code')).toMatch(/EXPIRED|DENIED/);
  }, 120_000);

  it('rotates its key by the configuration and SIGHUP, without a refused call', async () => {
    const hangUp = (): void => {
      for (const node of nodes) process.kill(node.pid, 'SIGHUP');
    };
    await api(nodeAt(0), 'publish', { channel: 'rotation.yaml', data: 0 }, FIRST);
    const backend = new Backend(FIRST, 'rotation.yaml');
    await backend.goOn();
    await writeFile(config, configOf(FIRST, SECOND));
    hangUp();
    await everywhere(SECOND, 200);
    backend.key = SECOND;
    await backend.goOn();
    await writeFile(config, configOf(SECOND));
    hangUp();
    await everywhere(FIRST, 401);
    await backend.goOn();
    await backend.stop();
    expect(backend.refused).toEqual([]);
  }, 120_000);
});

describe('keys of a cluster', () => {
  it('that are revoked end on every node within 5 s', async () => {
    const rpc = rpcOf(nodeAt(0).url, nodeAt(0).token);
    const key = String((await rpc('CreateApiKey', { name: 'short-lived' })).body['key']);
    texts.push(key);
    await everywhere(key, 200);
    const revoked = performance.now();
    await rpc('RevokeApiKey', { name: 'short-lived' });
    expect(await status(nodeAt(0), key)).toBe(401);
    await everywhere(key, 401);
    expect(performance.now() - revoked).toBeLessThan(5000);
  });

  it('with grants make no key; scopes of a bearer bound the keys that it makes', async () => {
    const rpc = rpcOf(nodeAt(0).url, nodeAt(0).token);
    const all = ['public:**', 'private:**'].map(pattern => ({ pattern, verbs: ['manage'] }));
    const narrow = String((await rpc('CreateApiKey', { name: 'managing', grants: all })).body['key']);
    texts.push(narrow);
    const denied = await rpcOf(nodeAt(0).url, narrow)('CreateApiKey', { name: 'wider', grants: all });
    expect([denied.status, denied.code]).toEqual([403, 'MSG_AUTH_DENIED']);
    const listed = await rpc('ListApiKeys', {});
    expect(listed.body['keys']).toMatchObject([
      { name: 'declared', declared: true, secrets: [{ slot: 0, id: '' }] },
      expect.objectContaining({ declared: false }),
      expect.objectContaining({ declared: false }),
    ]);
    expect(JSON.stringify(listed.body)).not.toContain(narrow);
  });

  it('leave no text in logs, manifest, printed configuration, traces and Redis', async () => {
    await eventually('spans of the HTTP API', () =>
      collector.received.some(({ bytes }) => Buffer.from(bytes).includes('msg.api/publish')),
    );
    const printed = await runMsg(['config', 'print', '--config', config]);
    const manifest = await (await fetch(`${nodeAt(0).url}/manifest`)).text();
    const stored = await redis.command('HGETALL', 'rotation:apikeys');
    expect(JSON.stringify(stored)).toContain('"shop');
    const everything = [
      printed.stdout,
      manifest,
      JSON.stringify(stored),
      ...nodes.flatMap(node => [node.output().stdout, node.output().stderr]),
      ...collector.received.map(({ bytes }) => Buffer.from(bytes).toString('latin1')),
    ].join('\n');
    expect(texts.filter(text => everything.includes(text))).toEqual([]);
    for (const node of nodes)
      await eventually('the record', () => node.output().stderr.includes('"bearer_subject":"key:shop"'));
  });
});

describe('the HTTP API on two nodes', () => {
  it('reaches connections of the other node, counts channels and lists nodes', async () => {
    const issued = await rpcOf(nodeAt(0).url, SECOND)('IssueAccess', {
      subject: 'alice',
      scopes: [{ pattern: 'private:app.**', verbs: ['subscribe'] }],
    });
    const clients: RawClient[] = [];
    for (const node of nodes) {
      const client = await RawClient.open(`${node.url.replace('http', 'ws')}/connection/websocket`);
      await client.request({ connect: { token: String(issued.body['access_token']) } });
      clients.push(client);
    }
    const send = async (method: string, members: object) =>
      (await api(nodeAt(1), method, members, SECOND)).json() as Promise<{ result: unknown }>;
    expect(await send('subscribe', { user: 'alice', channel: 'both.a' })).toEqual({ result: {} });
    for (const client of clients) await client.take(({ push }) => push?.subscribe != null);
    await eventually('both are counted', async () => {
      const { result } = await send('channels', { pattern: '*both*' });
      return JSON.stringify(result) === '{"channels":{"public:app.both.a":{"num_clients":2}}}';
    });
    const { result } = (await send('info', {})) as { result: { nodes: { num_clients: number }[] } };
    expect(result.nodes.map(({ num_clients }) => num_clients)).toEqual([1, 1]);
    await send('unsubscribe', { user: 'alice' });
    for (const client of clients) await client.take(({ push }) => push?.unsubscribe?.code === 2000);
    await send('subscribe', { user: 'alice', channel: 'both.b' });
    for (const client of clients) await client.take(({ push }) => push?.subscribe != null);
    await send('invalidate_user_tokens', { user: 'alice' });
    for (const client of clients) await client.take(({ push }) => push?.unsubscribe != null);
    await send('disconnect', { user: 'alice' });
    for (const client of clients) expect((await client.closed()).code).toBe(3503);
  }, 60_000);
});
