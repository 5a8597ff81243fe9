import { eventually, runMsg } from '@msg/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { configuredServer, serverOfSuite } from '../support/configured-server.ts';
import { rpcOf } from '../support/rpc.ts';
import { closeClients, codeOf, received, stockClient, trySubscribe } from '../support/stock-client.ts';

const CONFIG = `
channels:
  rules:
    - { pattern: "public:shop.**", history_size: 7, payload: json }
  open:
    - { name: public:shop.news, ttl: never, presence: true }
    - { name: public:shop.brief, ttl: 300ms }
    - { pattern: "public:chat.*", ttl: 2h }
manager: { sweep_interval: 50ms }
rate_limits:
  open: { rate: 3, per: 1h, burst: 3 }
`;

const bytes = (text: string) => Buffer.from(text).toString('base64');

describe('declared channels', () => {
  const suite = serverOfSuite(CONFIG);
  afterEach(closeClients);

  const state = async (name: string) => {
    const { body, code } = await suite.rpc('GetChannel', { name });
    return code ?? (body['channel'] as { state: string }).state;
  };

  test('what is not JSON is refused where the configuration says so, by RPC and by the command line', async () => {
    const name = 'public:shop.news';
    expect((await suite.rpc('Publish', { name, data: bytes('no json') })).code).toBe('MSG_INVALID_ARGUMENT');
    const env = { MSG_SERVER: suite.server.url, MSG_TOKEN: suite.server.token };
    const { code, stderr } = await runMsg(['publish', name, '--data', 'no json'], { env });
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      `a publication in ${name} must be JSON (channel option payload); got other text`,
    );
    expect((await suite.rpc('Publish', { name: 'public:chat.json', data: bytes('no json') })).status).toBe(
      200,
    );
  });

  test('a name is open from the start, with its TTL and options', async () => {
    const { body } = await suite.rpc('GetChannel', { name: 'public:shop.news' });
    expect(body).toMatchObject({ channel: { state: 'open', ttl_seconds: 0 } });
    const shown = await runMsg(['channels', 'get', 'public:shop.news'], {
      env: { MSG_SERVER: suite.server.url, MSG_TOKEN: suite.server.token },
    });
    expect(JSON.parse(shown.stdout).payload).toMatchObject({ ttl: 'never' });
    const client = stockClient(suite.server.websocketUrl);
    const subscription = client.newSubscription('public:shop.news');
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    expect((await subscription.presenceStats()).numClients).toBe(1);
    await suite.rpc('OpenPublic', { name: 'public:shop.news' });
    expect((await suite.rpc('GetChannel', { name: 'public:shop.news' })).body).toMatchObject({
      channel: { ttl_seconds: 0 },
    });
  });

  test('a name that closed by its TTL opens again when it is used', async () => {
    await eventually('it closed', async () => (await state('public:shop.brief')) === 'closed');
    expect((await suite.rpc('Publish', { name: 'public:shop.brief', data: bytes('1') })).status).toBe(200);
  });

  test('a pattern opens a channel by a publish, a PublishOrSink to its listeners, or a subscribe', async () => {
    expect(await state('public:chat.a')).toBe('MSG_CHANNEL_NOT_FOUND');
    expect((await suite.rpc('Publish', { name: 'public:chat.a', data: bytes('1') })).status).toBe(200);
    expect(await state('public:chat.a')).toBe('open');

    expect(await trySubscribe(suite.server.websocketUrl, 'public:chat.b')).toBe('subscribed');
    expect((await suite.rpc('GetChannel', { name: 'public:chat.b' })).body).toMatchObject({
      channel: { state: 'open', ttl_seconds: 7200 },
    });
    expect((await suite.rpc('Publish', { name: 'public:other.a', data: bytes('1') })).code).toBe(
      'MSG_CHANNEL_NOT_FOUND',
    );
    expect(await trySubscribe(suite.server.websocketUrl, 'public:other.b')).toBe('waiting');
  });

  test("a client's publish opens a channel only when it may publish", async () => {
    const { body } = await suite.rpc('CreatePrivate', {
      name: 'private:shop.writer.1',
      scopes: [{ pattern: 'public:chat.*', verbs: ['publish'] }],
    });
    const anonymous = stockClient(suite.server.websocketUrl);
    anonymous.connect();
    expect(await codeOf(anonymous.publish('public:chat.c', {}))).toBe(103);
    expect(await state('public:chat.c')).toBe('MSG_CHANNEL_NOT_FOUND');
    const writer = stockClient(suite.server.websocketUrl, { token: String(body['access_token']) });
    writer.connect();
    expect(await codeOf(writer.publish('public:chat.c', {}))).toBe('ok');
    expect(await state('public:chat.c')).toBe('open');
  });

  test('the debug stream opens it too', async () => {
    const abort = new AbortController();
    const { status, headers } = await fetch(`${suite.server.url}/sse?channel=public:chat.stream`, {
      signal: abort.signal,
    });
    abort.abort();
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await state('public:chat.stream')).toBe('open');
  });

  test('a deleted name stays deleted', async () => {
    await suite.rpc('Publish', { name: 'public:chat.gone', data: bytes('1') });
    await suite.rpc('DeleteChannel', { name: 'public:chat.gone' });
    expect(await trySubscribe(suite.server.websocketUrl, 'public:chat.gone')).toBe(102);
    expect((await suite.rpc('Publish', { name: 'public:chat.gone', data: bytes('1') })).code).toBe(
      'MSG_CHANNEL_NOT_FOUND',
    );
  });

  test('what one client opens is limited; channels that are open are not', async () => {
    const client = stockClient(suite.server.websocketUrl);
    client.connect();
    const limited: number[] = [];
    for (let index = 0; index < 6; index++) {
      const subscription = client.newSubscription(`public:chat.many-${index}`);
      subscription.on('error', ({ error }) => limited.push(error.code));
      subscription.subscribe();
    }
    await eventually('some are refused', () => limited.includes(111));
    const open = client.newSubscription('public:shop.news');
    open.subscribe();
    await open.ready(60_000);
  });
});

test('a live subscriber keeps a channel open when the configuration says so, and no other does', async () => {
  const server = await configuredServer(`
channels:
  keep_open_while_subscribed: true
manager: { sweep_interval: 20ms }
`);
  try {
    const rpc = rpcOf(server.url, server.token);
    const [kept, left] = ['public:shop.kept', 'public:shop.left'];
    for (const name of [kept, left]) await rpc('OpenPublic', { name, ttl_seconds: 1 });
    const client = stockClient(server.websocketUrl);
    const subscription = client.newSubscription(kept);
    const publications = received(subscription);
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    const state = async (name: string) => {
      const { channel } = (await rpc('GetChannel', { name })).body as { channel: { state: string } };
      return channel.state;
    };
    await eventually('the other one closed', async () => (await state(left)) === 'closed');
    expect(await state(kept)).toBe('open');
    await rpc('Publish', { name: kept, data: bytes('1') });
    await eventually('the publication', () => publications.length === 1);
    client.disconnect();
    await eventually('nobody keeps it', async () => (await state(kept)) === 'closed');
  } finally {
    closeClients();
    await server.stop();
  }
});

test('several channels are opened by one command; the first failure ends it', async () => {
  const server = await configuredServer('');
  try {
    const env = { MSG_SERVER: server.url, MSG_TOKEN: server.token };
    const opened = await runMsg(['channels', 'open', 'public:shop.a', 'public:shop.b'], { env });
    const names = opened.stdout
      .split(/^(?=\{)/m)
      .map(text => (JSON.parse(text) as { payload: { name: string } }).payload.name);
    expect([opened.code, names]).toEqual([0, ['public:shop.a', 'public:shop.b']]);
    const failed = await runMsg(['channels', 'open', 'public:shop.c', 'private:shop.d.1', 'public:shop.e'], {
      env,
    });
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('MSG_CHANNEL_INVALID') });
    expect(JSON.parse(failed.stdout).payload.name).toBe('public:shop.c');
  } finally {
    await server.stop();
  }
});
