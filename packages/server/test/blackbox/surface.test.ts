import { eventually, type MsgServer, runMsg } from '@msg/testkit';
import { threadsOfRun } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { configuredServer } from '../support/configured-server.ts';
import { logRecords } from '../support/log-records.ts';
import { manifestOf, rpcOf } from '../support/rpc.ts';
import { SECRET_PAYLOAD, startServer } from '../support/server.ts';
import { closeClients, codeOf, stockClient } from '../support/stock-client.ts';
import { onMemory } from '../support/store-of-run.ts';

afterEach(closeClients);

describe('rate limits', () => {
  test('the third publish of two a minute is 429 with Retry-After; other subjects have their own bucket', async () => {
    const server = await startServer({ args: ['--publish-rate', '2/m'] });
    try {
      const rpc = rpcOf(server.url, server.token);
      const name = 'public:shop.limited';
      await rpc('OpenPublic', { name });
      const statuses: number[] = [];
      for (let count = 0; count < 2; count++)
        statuses.push((await rpc('Publish', { name, data: '' })).status);
      const third = await rpc('Publish', { name, data: '' });
      expect([...statuses, third.status]).toEqual([200, 200, 429]);
      expect(third.body).toMatchObject({ code: 'resource_exhausted', meta: { code: 'MSG_RATE_LIMITED' } });
      const retryAfter = Number(third.headers.get('retry-after'));
      expect(retryAfter).toBeGreaterThan(50);
      expect(retryAfter).toBeLessThanOrEqual(60);
      expect((await rpc('Publish', { name: 'nonsense' })).status).toBe(429);

      const { body } = await rpc('IssueMgmt', { subject: 'another' });
      const other = rpcOf(server.url, String(body['mgmt_token']));
      expect((await other('Publish', { name, data: '' })).status).toBe(200);
      const manifest = await manifestOf(server.url);
      expect(manifest.rate_limits).toEqual({
        publish: { rate: 2, per: '1m0s', burst: 0 },
        subscribe: { rate: 0, per: '0s', burst: 0 },
        token_issue: { rate: 0, per: '0s', burst: 0 },
      });
    } finally {
      await server.stop();
    }
  });

  test('client publishes and subscribes are limited per user with 111, refreshes per address', async () => {
    const server = await startServer({
      env: {
        MSG_PUBLISH_RATE: '1/h',
        MSG_SUBSCRIBE_RATE: '1/h',
        MSG_SUBSCRIBE_BURST: '2',
        MSG_TOKEN_ISSUE_RATE: '1/h',
      },
    });
    try {
      const rpc = rpcOf(server.url, server.token);
      const created = await rpc('CreatePrivate', { name: 'private:shop.order.1', subject: 'u-1' });
      const client = stockClient(server.websocketUrl, { token: String(created.body['access_token']) });
      client.connect();
      expect(await codeOf(client.publish('private:shop.order.1', SECRET_PAYLOAD))).toBe('ok');
      expect(await codeOf(client.publish('private:shop.order.1', SECRET_PAYLOAD))).toBe(111);
      for (const id of ['a', 'b', 'c']) await rpc('OpenPublic', { name: `public:shop.${id}` });
      const codes: (number | string)[] = [];
      for (const id of ['a', 'b', 'c']) {
        const subscription = client.newSubscription(`public:shop.${id}`);
        const result = new Promise<number | string>(resolve => {
          subscription.on('subscribed', () => resolve('subscribed'));
          subscription.on('error', ({ error }) => resolve(error.code));
        });
        subscription.subscribe();
        codes.push(await result);
      }
      expect(codes).toEqual(['subscribed', 'subscribed', 111]);

      const anyone = rpcOf(server.url);
      const refreshed = await anyone('RefreshToken', { refreshToken: created.body['refresh_token'] });
      expect(refreshed.status).toBe(200);
      const again = await anyone('RefreshToken', { refreshToken: refreshed.body['refresh_token'] });
      expect([again.status, again.code]).toEqual([429, 'MSG_RATE_LIMITED']);
    } finally {
      await server.stop();
    }
  });

  test('a channel pattern has a publish limit of its own, for operators and for users', async () => {
    const server = await configuredServer(
      'rate_limits: { per_channel_publish: [{ pattern: "private:shop.order.*", rate: 1, per: 1h }] }\n',
    );
    try {
      const rpc = rpcOf(server.url, server.token);
      const name = 'private:shop.order.1';
      const created = await rpc('CreatePrivate', { name, subject: 'u-1' });
      await rpc('OpenPublic', { name: 'public:shop.free' });
      const statuses: number[] = [];
      for (const channel of [name, name, 'public:shop.free'])
        statuses.push((await rpc('Publish', { name: channel, data: '' })).status);
      expect(statuses).toEqual([200, 429, 200]);
      const client = stockClient(server.websocketUrl, { token: String(created.body['access_token']) });
      client.connect();
      expect(await codeOf(client.publish(name, SECRET_PAYLOAD))).toBe('ok');
      expect(await codeOf(client.publish(name, SECRET_PAYLOAD))).toBe(111);
      expect((await manifestOf(server.url)).rate_limits.per_channel_publish).toEqual([
        { pattern: 'private:shop.order.*', limit: { rate: 1, per: '1h0m0s', burst: 0 } },
      ]);
    } finally {
      await server.stop();
    }
  });

  test.each(['10', 'x/s', '1.5/s', '10/0s', '10/-1s', '/s'])('the rate %s fails the boot', async rate => {
    const result = await runMsg(['serve', '--addr', '127.0.0.1:0', '--publish-rate', rate]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: --publish-rate must be a rate/);
  });
});

describe('the HTTP surface', () => {
  let server: MsgServer;
  let rpc: ReturnType<typeof rpcOf>;

  beforeAll(async () => {
    server = await startServer({
      args: ['--allowed-origin', 'https://app.example.com', '--allowed-origin', 'https://*.example.org'],
      env: { MSG_METRICS_TOKEN: 'metrics-guard' },
    });
    rpc = rpcOf(server.url, server.token);
  });
  afterAll(() => server.stop());

  test('metrics want their bearer and count what happened', async () => {
    await rpc('OpenPublic', { name: 'public:shop.metrics' });
    await rpc('Publish', { name: 'public:shop.metrics', data: '' });
    await rpc('Publish', { name: 'public:shop.none', data: '' });
    await rpc('Unknown', {});
    await rpc('GenerateKey', {});
    const refused = await fetch(`${server.url}/metrics`);
    expect([refused.status, await refused.text()]).toEqual([401, 'unauthorized']);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="msg-metrics"');
    const wrong = await fetch(`${server.url}/metrics`, {
      headers: { authorization: 'Bearer metrics-guardx' },
    });
    expect(wrong.status).toBe(401);
    const answer = await fetch(`${server.url}/metrics`, {
      headers: { authorization: 'Bearer metrics-guard' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    for (const line of [
      'msg_publishes_total{channel_visibility="public",result="success"} 1',
      'msg_publishes_total{channel_visibility="public",result="failure"} 1',
      'msg_publish_duration_seconds_count{channel_visibility="public"} 2',
      'msg_channels_active{state="open",visibility="public"} 2', // one is that of the schemas
      'msg_subscribers_active{channel_visibility="public"} 0',
      'msg_rpc_requests_total{method="OpenPublic",status="200"} 1',
      'msg_rpc_requests_total{method="unknown",status="404"} 1',
      'msg_rpc_requests_total{method="non_rpc",status="401"} 2',
      'msg_token_verifications_total{type="mgmt",result="success"} 5',
      'msg_key_rotations_total{action="generated"} 1',
      `msg_keyring_backend{backend="${onMemory ? 'ephemeral' : 'redis'}"} 1`,
      `msg_keyring_watch_up ${onMemory ? 0 : 1}`,
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).not.toContain('shop.metrics');
  });

  const request = (path: string, init: RequestInit = {}) => fetch(server.url + path, init);
  const cors = (response: Response) => response.headers.get('access-control-allow-origin');

  test('browser routes answer listed origins with CORS headers and refuse others', async () => {
    const listed = await request('/manifest', { headers: { origin: 'https://app.example.com' } });
    expect([listed.status, cors(listed), listed.headers.get('vary')]).toEqual([
      200,
      'https://app.example.com',
      'Origin',
    ]);
    expect(listed.headers.get('access-control-allow-credentials')).toBe('true');
    const wildcard = await request('/manifest', { headers: { origin: 'https://a.example.org' } });
    expect(cors(wildcard)).toBe('https://a.example.org');
    for (const origin of [
      'https://example.org',
      'https://app.example.com.evil.io',
      'http://a.example.org',
      'null',
    ]) {
      expect((await request('/manifest', { headers: { origin } })).status).toBe(403);
    }
    const own = await request('/manifest', { headers: { origin: server.url } });
    expect([own.status, cors(own)]).toEqual([200, null]);
    expect((await request('/healthz', { headers: { origin: 'https://evil.io' } })).status).toBe(200);
  });

  test('preflights are answered before bearer and route; management methods have none', async () => {
    const preflight = (path: string, origin: string) =>
      request(path, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type, x-own',
        },
      });
    const rpcPath = '/twirp/msg.MsgService/RefreshToken';
    const answer = await preflight(rpcPath, 'https://app.example.com');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST');
    expect(answer.headers.get('access-control-allow-headers')).toBe('content-type, x-own');
    expect(answer.headers.get('access-control-max-age')).toBe('300');
    expect((await preflight(rpcPath, 'https://evil.io')).status).toBe(403);
    const manifest = await preflight('/manifest', 'https://app.example.com');
    expect(manifest.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    const management = await preflight('/twirp/msg.MsgService/ListChannels', 'https://app.example.com');
    expect([management.status, cors(management)]).toEqual([401, null]);
  });

  const upgrade = (origin?: string) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(server.websocketUrl, origin === undefined ? {} : { origin });
      socket.on('open', () => {
        socket.close();
        resolve(101);
      });
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      socket.on('error', reject);
    });

  test('the log says why an origin was refused, and only then', async () => {
    const answer = await request('/connection/websocket', { headers: { origin: 'http://localhost:5173' } });
    expect(answer.status).toBe(403);
    const plain = await request('/connection/websocket');
    expect(plain.status).toBe(426);
    const recordOf = (id: string | null) =>
      records('http_request').find(record => record['request_id'] === id);
    await eventually('both are logged', () =>
      [plain, answer].every(({ headers }) => recordOf(headers.get('x-request-id')) !== undefined),
    );
    expect(recordOf(answer.headers.get('x-request-id'))).toMatchObject({
      status: 403,
      reason:
        'origin "http://localhost:5173" is not in server.allowed_origins; ' +
        'list the origin: --allowed-origin "http://localhost:5173"',
    });
    expect(recordOf(plain.headers.get('x-request-id'))).not.toHaveProperty('reason');
  });

  test('websocket origins follow the same list', async () => {
    expect(await upgrade()).toBe(101);
    expect(await upgrade(server.url)).toBe(101);
    expect(await upgrade('https://app.example.com')).toBe(101);
    expect(await upgrade('https://evil.io')).toBe(403);
  });

  const records = (message: string) =>
    logRecords(server.output().stderr).filter(record => record['msg'] === message);

  test('each request leaves one record; the id is echoed, the query and the token are not there', async () => {
    const answer = await request('/manifest?token=in-the-query', {
      headers: { 'x-request-id': 'req-1', 'x-forwarded-for': '203.0.113.9' },
    });
    expect(answer.headers.get('x-request-id')).toBe('req-1');
    const generated = await request('/nowhere');
    expect(generated.headers.get('x-request-id')).toMatch(/^[0-9a-f]{24}$/);
    await rpc('ListChannels', {});
    await eventually('the records', () =>
      records('http_request').some(record => record['request_id'] === 'req-1'),
    );
    expect(records('http_request').find(record => record['request_id'] === 'req-1')).toMatchObject({
      level: 'info',
      method: 'GET',
      path: '/manifest',
      status: 200,
      duration_ms: expect.any(Number),
      remote_addr: '127.0.0.1',
      bearer_subject: '',
      trace_id: '',
    });
    await eventually('the RPC record', () =>
      records('http_request').some(record => record['bearer_subject'] === 'operator'),
    );
    expect(server.output().stderr).not.toContain('in-the-query');
  });

  test('a refused bearer leaves a warning with its label', async () => {
    const before = records('auth_failure').length;
    await rpcOf(server.url)('ListChannels', {});
    await rpcOf(server.url, 'abc')('ListChannels', {});
    await rpcOf(server.url, `${server.token.slice(0, -4)}AAAA`)('ListChannels', {});
    await eventually('the warnings', () => records('auth_failure').length === before + 3);
    // Each thread writes its own in their order.
    const labels = records('auth_failure')
      .slice(before)
      .sort((one, other) => String(one['time']).localeCompare(String(other['time'])))
      .map(record => record['code']);
    expect(labels).toEqual(['MSG_AUTH_MISSING', 'MSG_AUTH_MALFORMED', 'MSG_AUTH_INVALID_SIGNATURE']);
  });

  test('a connection is recorded when it ends', async () => {
    await upgrade();
    await eventually('the record', () =>
      records('http_request').some(({ path, status }) => path === '/connection/websocket' && status === 101),
    );
  });

  test('readyz tells the state of the parts', async () => {
    const answer = await request('/readyz');
    const [broker, store, delivery, messages] = Array.from({ length: 4 }, () => ({ ok: true }));
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        ready: true,
        subsystems: {
          ...(onMemory ? { broker } : { broker, store, delivery, messages }),
          ...(threadsOfRun() === null ? {} : { threads: { ok: true, detail: '2 of 2' } }),
        },
      },
    ]);
  });
});
