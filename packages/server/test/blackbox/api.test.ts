import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, RawClient, runMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#src/auth/api-keys/secret.ts';
import { configuredServer } from '../support/configured-server.ts';
import { temporaryFolder } from '../support/folders.ts';
import { rpcOf } from '../support/rpc.ts';

const KEY = 'key-of-a-backend-for-the-http-api';
const NARROW = 'narrow-key-of-a-backend-http-api1';
const LIMITED = 'limited-key-of-a-backend-http-api';

const CONFIG = `
auth:
  api_keys:
    - { name: full, sha256: ${digestOf(KEY)} }
    - name: narrow
      sha256: ${digestOf(NARROW)}
      grants: [{ pattern: 'public:app.narrow.**', verbs: [publish, subscribe] }]
    - { name: limited, sha256: ${digestOf(LIMITED)}, rate: 2/h }
api:
  enabled: true
  open_channels: auto
  bare_names: 'public:app.'
  max_batch: 10
  allow_query_key: true
channels:
  - { pattern: 'public:**', presence: true, join_leave: true }
  - { pattern: 'private:**', presence: true }
  - { pattern: 'public:app.plain.**', history_size: 0, presence: false }
`;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

let server: Awaited<ReturnType<typeof configuredServer>>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'msg-http-api-'));
  server = await configuredServer(CONFIG, {}, folder);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function send(path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const api = async (method: string, members: object, headers: Record<string, string> = {}) =>
  (await send(`/api/${method}`, JSON.stringify(members), headers)).text;
const json = async (method: string, members: object) => JSON.parse(await api(method, members));
const error = (code: number, message: string) => JSON.stringify({ error: { code, message } });

/** A connection of a user, or an anonymous one. */
async function connected(user = ''): Promise<{ readonly client: RawClient; readonly id: string }> {
  let token = '';
  if (user !== '') {
    const { body } = await rpcOf(server.url, KEY)('IssueAccess', {
      subject: user,
      scopes: [{ pattern: 'private:app.**', verbs: ['subscribe'] }],
    });
    token = String(body['access_token']);
  }
  const client = await RawClient.open(`${server.url.replace('http', 'ws')}/connection/websocket`);
  const { connect } = await client.request({ connect: { token } });
  return { client, id: connect?.client ?? '' };
}

async function subscribed(channel: string): Promise<RawClient> {
  await api('publish', { channel, data: 'opens' });
  const { client } = await connected();
  await client.request({ subscribe: { channel: `public:app.${channel}` } });
  return client;
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe('the key of the HTTP API', () => {
  it.each<[string, string, Record<string, string>, number]>([
    ['in X-API-Key', '/api/info', {}, 200],
    ['in Authorization', '/api/info', { 'x-api-key': '', authorization: `ApiKey ${KEY}` }, 200],
    ['in the query', `/api/info?api_key=${KEY}`, { 'x-api-key': '' }, 200],
    ['wrong', '/api/info', { 'x-api-key': 'wrong' }, 401],
    [
      'wrong in the first, right in the second header',
      '/api/info',
      { 'x-api-key': 'wrong', authorization: `apikey ${KEY}` },
      401,
    ],
    ['as a bearer', '/api/info', { 'x-api-key': '', authorization: `Bearer ${KEY}` }, 401],
    ['nowhere', '/api/info', { 'x-api-key': '' }, 401],
  ])('is taken or refused: %s', async (_title, path, headers, status) => {
    const answer = await send(path, '{}', headers);
    expect(answer.status).toBe(status);
    if (status !== 401) return;
    expect([answer.text, answer.headers.get('x-msg-code')]).toEqual(['', 'MSG_AUTH_DENIED']);
  });

  it('is decided before a byte of the body is read', async () => {
    const endless = new ReadableStream({ start: controller => controller.enqueue(Buffer.from('{')) });
    const response = await fetch(`${server.url}/api/publish`, {
      method: 'POST',
      headers: { 'x-api-key': 'wrong' },
      body: endless,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(401);
  });

  it('is a management token never', async () => {
    const headers = { 'x-api-key': server.token };
    expect((await send('/api/info', '{}', headers)).status).toBe(401);
  });

  it('with grants may do what these cover', async () => {
    const headers = { 'x-api-key': NARROW };
    await api('publish', { channel: 'narrow.a', data: 1 });
    expect(JSON.parse(await api('publish', { channel: 'narrow.a', data: 1 }, headers))).toHaveProperty(
      'result',
    );
    expect(await api('publish', { channel: 'wide.a', data: 1 }, headers)).toBe(
      error(103, 'permission denied'),
    );
    expect(await api('publish', { channel: 'narrow.new', data: 1 }, headers)).toBe(
      error(103, 'permission denied'),
    );
    expect(await api('info', {}, headers)).toBe(error(103, 'permission denied'));
    expect(await api('history_remove', { channel: 'narrow.a' }, headers)).toBe(
      error(103, 'permission denied'),
    );
    expect(JSON.parse(await api('history', { channel: 'narrow.a' }, headers))).toHaveProperty('result');
  });

  it('with a rate publishes so many times, in a batch too', async () => {
    await api('publish', { channel: 'limited.a', data: 1 });
    const commands = [1, 2, 3].map(data => ({ publish: { channel: 'limited.a', data } }));
    const headers = { 'x-api-key': LIMITED };
    const { replies } = JSON.parse(await api('batch', { commands }, headers));
    expect(replies.map((reply: object) => Object.keys(reply)[0])).toEqual(['publish', 'publish', 'error']);
    const refused = await send('/api/publish', JSON.stringify({ channel: 'limited.a', data: 1 }), headers);
    expect(refused.text).toBe(error(111, 'too many requests'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('requests of the HTTP API', () => {
  it.each<[string, string, string, number]>([
    ['a body that is not JSON', '/api/publish', '{', 400],
    ['a body that is not an object', '/api/publish', '[]', 400],
    ['no body', '/api/publish', '', 400],
    ['a body that is nested too deep', '/api/publish', `{"data":${'['.repeat(70)}${']'.repeat(70)}}`, 400],
    ['a command that does not exist', '/api/map_publish', '{}', 404],
    ['broken JSON in the middle of the older form', '/api', '{"method":"publish"}{"method":', 400],
    ['a longer body than 4 MiB', '/api/publish', ' '.repeat(4_194_305), 413],
  ])('are refused by status for %s', async (_title, path, body, status) => {
    expect((await send(path, body)).status).toBe(status);
  });

  it('carry nothing out when one command of the older form is broken', async () => {
    const good = JSON.stringify({ method: 'publish', params: { channel: 'broken.a', data: 1 } });
    expect((await send('/api', `${good}\n${good}{"method"`)).status).toBe(400);
    expect(await json('history', { channel: 'broken.a', limit: -1 })).toMatchObject({
      result: { publications: [] },
    });
  });

  it('of another method are 405, preflights 404', async () => {
    const get = await fetch(`${server.url}/api/publish`, { headers: { 'x-api-key': KEY } });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    const preflight = await fetch(`${server.url}/api/publish`, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([404, null]);
  });

  it.each<[string, object, number, string]>([
    ['publish', { data: 1 }, 107, 'bad request'],
    ['publish', { channel: 'a.b' }, 107, 'bad request'],
    ['publish', { channel: 5, data: 1 }, 107, 'bad request'],
    ['publish', { channel: 'public:APP.x', data: 1 }, 107, 'bad request'],
    ['publish', { channel: 'chat:x', data: 1 }, 102, 'unknown channel'],
    ['publish', { channel: 'a.b', b64data: '!' }, 107, 'bad request'],
    ['broadcast', { channels: [], data: 1 }, 107, 'bad request'],
    ['broadcast', { channels: Array.from({ length: 1001 }, () => 'a.b'), data: 1 }, 107, 'bad request'],
    ['batch', {}, 107, 'bad request'],
    ['batch', { commands: Array.from({ length: 11 }, () => ({ info: {} })) }, 107, 'bad request'],
    ['disconnect', { user: '' }, 107, 'bad request'],
    ['disconnect', { user: 'u', disconnect: { code: 2999, reason: '' } }, 107, 'bad request'],
    ['disconnect', { user: 'u', disconnect: { code: 4000, reason: 'ä'.repeat(62) } }, 107, 'bad request'],
    ['subscribe', { user: 'u' }, 107, 'bad request'],
    ['unsubscribe', { channel: 'a.b' }, 107, 'bad request'],
    ['presence', { channel: 'plain.a' }, 108, 'not available'],
    ['presence_stats', { channel: 'plain.a' }, 108, 'not available'],
    ['history', { channel: 'plain.a' }, 108, 'not available'],
    ['rpc', { method: 'x' }, 104, 'not found'],
    ['rpc', {}, 107, 'bad request'],
    ['revoke_token', {}, 107, 'bad request'],
    ['channels', { pattern: '{a' }, 107, 'bad request'],
  ])('%s %j fails with %d', async (method, members, code, message) => {
    expect(await api(method, members)).toBe(error(code, message));
  });

  it('fail with an HTTP status in the transport mode, and say what happened in headers', async () => {
    const headers = { 'x-centrifugo-error-mode': 'transport' };
    const answer = await send('/api/publish', '{"channel":"chat:ü","data":1}', headers);
    expect([answer.status, answer.text]).toEqual([404, '{"code":102,"message":"unknown channel"}']);
    expect(answer.headers.get('x-msg-code')).toBe('MSG_CHANNEL_NOT_FOUND');
    expect(decodeURIComponent(answer.headers.get('x-msg-detail') ?? '')).toContain('public: or private:');
    const single = await send('/api/publish', '{"channel":"chat:x","data":1}');
    expect(single.status).toBe(200);
    expect(single.headers.get('content-type')).toBe('application/json');
  });

  it('may hold members that the service does not know', async () => {
    expect(await api('publish', { channel: 'plain.x', data: {}, use_delta: true, meta: {} })).toBe(
      '{"result":{}}',
    );
  });
});

describe('publications through the HTTP API', () => {
  it('reach a subscriber byte for byte, by publish, broadcast, batch and the older form', async () => {
    const client = await subscribed('bytes.a');
    const texts = [
      '1.0',
      '12345678901234567890.10',
      '{"b":1,"a":2,"a":3}',
      '"\\u0041\\/"',
      '[ 1, {"x" : null} ]',
      'null',
    ];
    for (const text of texts) {
      const members = `"channel":"bytes.a","data": ${text} `;
      const broadcast = `"channels":["bytes.a"],"data": ${text}`;
      await send('/api/publish', `{${members}}`);
      await send('/api/broadcast', `{${broadcast}}`);
      await send('/api/batch', `{"commands":[{"publish":{${members}}},{"broadcast":{${broadcast}}}]}`);
      await send('/api', `{"method":"publish","params":{${members}}}`);
      for (let times = 0; times < 5; times++) {
        const { pub } = await client.push();
        expect(textOf(pub?.data.bytes)).toBe(text);
      }
    }
    client.websocket.terminate();
  });

  it('may be bytes of any kind, which win over data', async () => {
    const client = await subscribed('bytes.b');
    await api('publish', {
      channel: 'bytes.b',
      data: 1,
      b64data: Buffer.from('{"x":1.50}').toString('base64'),
    });
    expect(textOf((await client.push()).pub?.data.bytes)).toBe('{"x":1.50}');
    await api('publish', { channel: 'bytes.b', b64data: Buffer.from([0xff, 0]).toString('base64') });
    const { result } = await json('history', { channel: 'bytes.b', limit: 1, reverse: true });
    expect(result.publications[0]).toMatchObject({ data: '/wA=', tags: { 'msg-encoding': 'base64' } });
    client.websocket.terminate();
  });

  it('answer their position, and nothing where there is no history', async () => {
    const first = await json('publish', { channel: 'position.a', data: {} });
    expect(first).toEqual({ result: { offset: 1, epoch: expect.stringMatching(/./) } });
    const tags = { tags: { a: 'b' }, idempotency_key: 'k' };
    await api('publish', { channel: 'position.a', data: 2, ...tags });
    const again = await json('publish', { channel: 'position.a', data: 2, ...tags });
    expect(again.result.offset).toBe(2);
    expect(await api('publish', { channel: 'position.a', data: 3, skip_history: true })).toBe(
      '{"result":{}}',
    );
    const versioned = { channel: 'position.a', data: 4, version: 7, version_epoch: 'e' };
    await api('publish', versioned);
    await api('publish', versioned);
    const { result } = await json('history', { channel: 'position.a', limit: -1 });
    expect(result).toEqual({
      publications: [
        { data: {}, offset: 1 },
        { data: 2, offset: 2, tags: { a: 'b' } },
        { data: 4, offset: 3 },
      ],
      offset: 3,
      epoch: first.result.epoch,
    });
  });

  it('of a broadcast fail channel by channel', async () => {
    const { result } = await json('broadcast', { channels: ['broad.a', 'chat:x', 'plain.y', ''], data: 1 });
    expect(result).toEqual({
      responses: [
        { result: { offset: 1, epoch: expect.any(String) } },
        { error: { code: 102, message: 'unknown channel' } },
        { result: {} },
        { error: { code: 107, message: 'bad request' } },
      ],
    });
  });

  it('open private channels too, and never a name that was deleted', async () => {
    const rpc = rpcOf(server.url, KEY);
    expect(await json('publish', { channel: 'private:app.x.y', data: 1 })).toMatchObject({
      result: { offset: 1 },
    });
    expect((await rpc('GetChannel', { name: 'private:app.x.y' })).body).toMatchObject({
      channel: { state: 'open' },
    });
    await api('publish', { channel: 'deleted.a', data: 1 });
    await rpc('DeleteChannel', { name: 'public:app.deleted.a' });
    expect(await api('publish', { channel: 'deleted.a', data: 1 })).toBe(error(102, 'unknown channel'));
  });
});

describe('a batch', () => {
  const commands = [
    { publish: { channel: 'batch.a', data: 1 } },
    null,
    {},
    { publish: {}, presence: {} },
    { map_publish: {} },
    { publish: 5 },
    { history: { channel: 'batch.a', limit: 0 } },
  ];
  it.each([false, true])('answers in the order of its commands; parallel: %s', async parallel => {
    const { replies } = await json('batch', { commands, parallel });
    const failure = (code: number, message: string) => ({ error: { code, message } });
    expect(replies).toEqual([
      { publish: { offset: expect.any(Number), epoch: expect.any(String) } },
      failure(107, 'bad request'),
      failure(107, 'bad request'),
      failure(107, 'bad request'),
      failure(104, 'not found'),
      failure(107, 'bad request'),
      { history: { publications: [], offset: expect.any(Number), epoch: expect.any(String) } },
    ]);
  });

  it('keeps the order of one channel when it is parallel', async () => {
    const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    const publishes = numbers.map(data => ({ publish: { channel: 'parallel.a', data } }));
    await api('batch', { commands: publishes, parallel: true });
    const { result } = await json('history', { channel: 'parallel.a', limit: -1 });
    expect(result.publications.map(({ data }: { data: number }) => data)).toEqual(numbers);
  });
});

describe('the older form', () => {
  it('takes commands by name in any case and by number, one after another, and answers lines', async () => {
    const lines = [
      { id: 1, method: 'PUBLISH', params: { channel: 'older.a', data: 1 } },
      { id: 2, method: 6, params: { channel: 'older.a', limit: 10 } },
      { method: 'presence_stats', params: { channel: 'older.a' } },
      { id: 4, method: 'nothing', params: {} },
      { id: 5, method: 'info' },
    ];
    const body = lines.map(line => JSON.stringify(line));
    const { text } = await send('/api', `${body[0]}${body[1]}\n ${body.slice(2).join('\n')}`);
    const replies = text.split('\n').map(line => JSON.parse(line));
    const node = expect.objectContaining({ num_clients: expect.any(Number) });
    const nodes = [node];
    expect(replies).toEqual([
      { id: 1, result: { offset: 1, epoch: expect.any(String) } },
      { id: 2, result: { publications: [{ data: 1, offset: 1 }], offset: 1, epoch: expect.any(String) } },
      { result: { num_clients: 0, num_users: 0 } },
      { id: 4, error: { code: 104, message: 'not found' } },
      { id: 5, result: { nodes } },
    ]);
  });
});

describe('reads of the HTTP API', () => {
  it('of a name that was never opened answer as for an empty channel', async () => {
    expect(await json('presence', { channel: 'never.a' })).toEqual({ result: { presence: {} } });
    expect(await json('presence_stats', { channel: 'never.a' })).toEqual({
      result: { num_clients: 0, num_users: 0 },
    });
    expect(await json('history', { channel: 'never.a', limit: -1 })).toEqual({
      result: { publications: [], offset: 0, epoch: expect.any(String) },
    });
  });

  it('show presence, channels and nodes', async () => {
    const { client, id } = await connected('reader');
    await api('publish', { channel: 'seen.a', data: 1 });
    await client.request({ subscribe: { channel: 'public:app.seen.a' } });
    expect(await json('presence', { channel: 'seen.a' })).toEqual({
      result: { presence: { [id]: { user: 'reader', client: id } } },
    });
    expect(await json('presence_stats', { channel: 'seen.a' })).toEqual({
      result: { num_clients: 1, num_users: 1 },
    });
    const shown = { result: { channels: { 'public:app.seen.a': { num_clients: 1 } } } };
    for (const pattern of ['*seen*', 'public:app.{seen,x}.?', 'public:app.seen.a'])
      expect(await json('channels', { pattern })).toEqual(shown);
    expect(await json('channels', { pattern: 'private:*' })).toEqual({ result: { channels: {} } });
    const headers = { 'x-api-key': NARROW };
    expect(JSON.parse(await api('channels', {}, headers))).toEqual({ result: { channels: {} } });
    const { result } = await json('info', {});
    expect(result.nodes[0]).toMatchObject({ uid: expect.any(String), uptime: expect.any(Number) });
    client.websocket.terminate();
  });

  it('of a position that is not in the history fail with 112', async () => {
    for (const data of [1, 2, 3]) await api('publish', { channel: 'window.a', data });
    const { result } = await json('history', {
      channel: 'window.a',
      since: { offset: 1, epoch: '' },
      limit: -1,
    });
    expect(result.publications.map(({ offset }: { offset: number }) => offset)).toEqual([2, 3]);
    const other = { channel: 'window.a', since: { offset: 1, epoch: 'other' }, limit: -1 };
    expect(await api('history', other)).toBe(error(112, 'unrecoverable position'));
    expect(await api('history_remove', { channel: 'window.a' })).toBe('{"result":{}}');
    const gone = { channel: 'window.a', since: { offset: 1, epoch: '' }, limit: -1 };
    expect(await api('history', gone)).toBe(error(112, 'unrecoverable position'));
    const emptied = await json('history', { channel: 'window.a', limit: -1 });
    expect(emptied.result).toMatchObject({ publications: [], offset: 3 });
  });
});

describe('live connections through the HTTP API', () => {
  it('are subscribed, unsubscribed, and disconnected', async () => {
    const { client, id } = await connected('alice');
    const subscribe = { user: 'alice', channel: 'live.a', data: { x: 1.5 }, info: { y: 1 } };
    expect(await api('subscribe', subscribe)).toBe('{"result":{}}');
    const push = await client.take(({ push: got }) => got?.subscribe != null);
    expect(push.push).toMatchObject({ channel: 'public:app.live.a', subscribe: { recoverable: true } });
    expect(textOf(push.push?.subscribe?.data ?? undefined)).toBe('{"x":1.5}');
    expect(await api('subscribe', subscribe)).toBe('{"result":{}}');
    expect(await json('presence', { channel: 'live.a' })).toEqual({
      result: { presence: { [id]: { user: 'alice', client: id, chan_info: { y: 1 } } } },
    });
    await api('publish', { channel: 'live.a', data: 'to all' });
    const publication = await client.take(({ push: got }) => got?.pub != null);
    expect(textOf(publication.push?.pub?.data.bytes)).toBe('"to all"');
    expect(await api('unsubscribe', { user: 'alice', channel: 'live.a' })).toBe('{"result":{}}');
    const ended = await client.take(({ push: got }) => got?.unsubscribe != null);
    expect(ended.push?.unsubscribe?.code).toBe(2000);
    expect(await api('disconnect', { user: 'alice', client: 'another' })).toBe('{"result":{}}');
    expect(await api('disconnect', { user: 'alice', whitelist: [id] })).toBe('{"result":{}}');
    expect(await api('disconnect', { user: 'alice', client: id })).toBe('{"result":{}}');
    expect(await client.closed()).toEqual({ code: 3503, reason: 'force disconnect' });
  });

  it('lose all subscriptions with an empty channel, and have options switched off, never on', async () => {
    const { client } = await connected('bob');
    const override = { presence: { value: false }, force_recovery: { value: false } };
    await api('subscribe', { user: 'bob', channel: 'live.b', override });
    await api('subscribe', { user: 'bob', channel: 'plain.b', override: { presence: { value: true } } });
    const first = await client.take(({ push: got }) => got?.channel === 'public:app.live.b');
    expect(first.push?.subscribe).toMatchObject({ recoverable: false });
    expect(await json('presence', { channel: 'live.b' })).toEqual({ result: { presence: {} } });
    await api('unsubscribe', { user: 'bob' });
    for (let times = 0; times < 2; times++)
      await client.take(({ push: got }) => got?.unsubscribe?.code === 2000);
    client.websocket.terminate();
  });

  it('recover what they missed, and end with their user or their time', async () => {
    const { result } = await json('publish', { channel: 'live.c', data: 1 });
    await api('publish', { channel: 'live.c', data: 2 });
    const { client } = await connected('carol');
    await api('subscribe', { user: 'carol', channel: 'live.c', recover_since: result });
    const missed = await client.take(({ push: got }) => got?.pub != null);
    expect(textOf(missed.push?.pub?.data.bytes)).toBe('2');
    expect(await api('invalidate_user_tokens', { user: 'carol' })).toBe('{"result":{}}');
    await client.take(({ push: got }) => got?.unsubscribe?.code === 2000);
    client.websocket.terminate();
  });

  it('get new credentials, or are told that theirs are over', async () => {
    const { client, id } = await connected('dora');
    await api('subscribe', { user: 'dora', channel: 'live.d' });
    const expireAt = Math.floor(Date.now() / 1000) + 3600;
    expect(await api('refresh', { user: 'dora', expire_at: expireAt, info: { n: 1 } })).toBe('{"result":{}}');
    await eventually('the new info', async () => {
      const { result } = await json('presence', { channel: 'live.d' });
      return result.presence[id] !== undefined;
    });
    expect(await api('refresh', { user: 'dora', expired: true })).toBe('{"result":{}}');
    expect((await client.closed()).code).toBe(3005);
  });
});

it('commands are counted one by one, and calls logged by the name of their key', async () => {
  await api('batch', { commands: [{ publish: { channel: 'chat:x', data: 1 } }] });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toMatch(/msg_api_requests_total\{method="publish",code="0"\} \d/);
  expect(metrics).toMatch(/msg_api_requests_total\{method="publish",code="102"\} \d/);
  expect(metrics).toMatch(/msg_api_duration_seconds_count\{method="publish"\} \d/);
  await eventually('the record', () => server.output().stderr.includes('"bearer_subject":"key:full"'));
  expect(server.output().stderr).not.toContain(KEY);
});

describe('the configuration of the HTTP API', () => {
  const check = async (yaml: string) => {
    const path = join(await temporaryFolder(), 'msg.yaml');
    await (await import('node:fs/promises')).writeFile(path, yaml);
    return runMsg(['config', 'check', path]);
  };
  it.each([
    ['api: { enabled: true }', 'api.enabled needs a key: declare one in auth.api_keys'],
    ['api: { bare_names: "public:app" }', 'api.bare_names must hold visibility and app'],
    ['api: { path: "api/" }', 'api.path must be a path'],
  ])('does not boot: %s', async (yaml, problem) => {
    const { code, stderr } = await check(yaml);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(problem)]);
  });

  it('needs no key where no bearer is asked for', async () => {
    expect(await check('server: { no_auth: true }\napi: { enabled: true }')).toMatchObject({ code: 0 });
  });
});
