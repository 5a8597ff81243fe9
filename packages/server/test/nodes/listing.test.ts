import { afterEach, describe, expect, it } from 'vitest';
import { embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

afterEach(stopEmbedded);

type Row = Readonly<Record<string, unknown>>;
const rows = (body: Row, member: string): readonly Row[] => body[member] as readonly Row[]; // as the methods answer

describe('the list of nodes', () => {
  it('has what was counted, and names neither channels nor subjects', async () => {
    const { msg, url } = await embed({ region: 'eu' });
    await msg.channels.openPublic('public:secret.name');
    await msg.publish('public:secret.name', 1);
    await msg.publish('public:secret.none', 1).catch(() => {});
    const { mgmt_token: viewer } = (
      await rpcOf(url, msg.tokens.issueManagement('sue').token)('IssueMgmt', {
        subject: 'victor',
        role: 'viewer',
        scopes: [{ pattern: 'public:other.**', verbs: ['manage'] }],
      })
    ).body;
    const { status, body } = await rpcOf(url, String(viewer))('ListNodes', {});
    expect(status).toBe(200);
    const [row] = rows(body, 'nodes');
    expect(row).toMatchObject({
      region: 'eu',
      ready: true,
      phase: 'running',
      publishes: 2,
      connections: 0,
      runtime: `node ${process.version}`,
    });
    expect(Number(row?.['rss_bytes'])).toBeGreaterThan(1e6);
    expect(Number(row?.['open_fds'])).toBeGreaterThan(3);
    expect(JSON.stringify(body)).not.toMatch(/secret|sue|victor/);
  });

  it('hints at keys that end with the process, and at a server without a bearer check', async () => {
    const { url } = await embed({ noAuth: true });
    const { body } = await rpcOf(url, '')('ListNodes', {});
    expect(rows(body, 'hints')).toMatchObject([
      { name: 'NoAuth', severity: 'critical', doc: 'monitoring#noauth' },
      { name: 'KeysEndWithProcess', severity: 'warning' },
    ]);
  });
});

describe('the running configuration', () => {
  it('of an embedder is its options, without secrets', async () => {
    const { msg, url } = await embed({
      metricsToken: 's3cret-metrics',
      apiKeys: [{ name: 'shop', key: 'k'.repeat(40) }],
      peers: ['https://ann:s3cret@shop.example'],
      authorizer: () => undefined,
      rateLimits: { publish: { rate: 5, perMs: 1000, burst: 5 } },
    });
    const { body } = await rpcOf(url, msg.tokens.issueManagement().token)('Config', {});
    const of = (key: string) => rows(body, 'settings').find(setting => setting['key'] === key);
    expect(of('metricsToken')).toEqual({
      key: 'metricsToken',
      value: null,
      source: 'embedder',
      default: null,
      secret: true,
      is_set: true,
      help: '',
    });
    expect(of('apiKeys')).toMatchObject({ value: null, secret: true, is_set: true });
    expect(of('peers')).toMatchObject({ value: ['https://[redacted]@shop.example'] });
    expect(of('authorizer')).toMatchObject({ value: '(a function)' });
    expect(of('rateLimits')).toMatchObject({ value: { publish: { rate: 5, perMs: 1000, burst: 5 } } });
    expect(JSON.stringify(body)).not.toMatch(/s3cret|kkkk/);
  });

  it('is for administrators', async () => {
    const { msg, url } = await embed();
    const operator = msg.tokens.issueManagement('ops', 0, { role: 'operator' }).token;
    expect((await rpcOf(url, operator)('Config', {})).status).toBe(403);
  });
});
