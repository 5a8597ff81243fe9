import { METHODS } from '@msg/core';
import { eventually, type MsgServer } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post, readAnswer, rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

const SUMMARY = ['name', 'state', 'ttl_seconds', 'created_at', 'last_active', 'visibility'];

describe('the RPC of a spawned msg serve', () => {
  let server: MsgServer;
  let rpc: ReturnType<typeof rpcOf>;

  beforeAll(async () => {
    server = await startServer();
    rpc = rpcOf(server.url, server.token);
  });
  afterAll(() => server.stop());

  const bearer = () => ({ authorization: `Bearer ${server.token}` });
  const rpcUrl = (method: string) => `${server.url}/twirp/msg.MsgService/${method}`;

  test.each<[string, Record<string, string>, string]>([
    ['no bearer', {}, 'missing bearer token'],
    ['another scheme', { authorization: 'Basic abc' }, 'missing bearer token'],
    ['an empty bearer', { authorization: 'Bearer ' }, 'missing bearer token'],
    ['a broken token', { authorization: 'Bearer abc' }, 'token is malformed'],
  ])('%s is 401 MSG_AUTH_DENIED', async (_title, headers, msg) => {
    const answer = await post(server.url, 'ListChannels', '{}', headers);
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ code: 'unauthenticated', msg, meta: { code: 'MSG_AUTH_DENIED' } });
  });

  test('the bearer is checked before the route: an unknown method is 401, then 404', async () => {
    expect((await post(server.url, 'Nothing', '{}')).status).toBe(401);
    const answer = await post(server.url, 'Nothing', '{}', bearer());
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({
      code: 'bad_route',
      meta: { twirp_invalid_route: 'POST /twirp/msg.MsgService/Nothing' },
    });
    expect(answer.code).toBeUndefined();
  });

  test('every method but the public ones wants a management bearer', async () => {
    for (const [name, { access }] of Object.entries(METHODS)) {
      const { status, code } = await post(server.url, name, '{}');
      if (access.rule === 'public') expect([name, status]).not.toEqual([name, 401]);
      else expect([name, status, code]).toEqual([name, 401, 'MSG_AUTH_DENIED']);
    }
  });

  test('the scheme is read in any case of letters', async () => {
    const headers = { authorization: `bEARER ${server.token}` };
    expect((await post(server.url, 'ListChannels', '{}', headers)).status).toBe(200);
  });

  test('another HTTP method or content type is bad_route', async () => {
    const get = await readAnswer(await fetch(rpcUrl('ListChannels'), { headers: bearer() }));
    expect(get).toMatchObject({ status: 404, body: { code: 'bad_route' } });
    expect(get.body).toMatchObject({
      meta: { twirp_invalid_route: 'GET /twirp/msg.MsgService/ListChannels' },
    });
    const protobuf = { ...bearer(), 'content-type': 'application/protobuf' };
    expect((await post(server.url, 'ListChannels', '{}', protobuf)).body).toMatchObject({
      code: 'bad_route',
    });
    const charset = { ...bearer(), 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await post(server.url, 'ListChannels', '{}', charset)).status).toBe(200);
  });

  test.each([
    '',
    '{',
    '[]',
    '"x"',
    'null',
    '{"name":7}',
    '{"ttlSeconds":1,"ttl_seconds":1}',
    '{"ttl_seconds":1.5}',
  ])('the body %j is malformed', async body => {
    const answer = await post(server.url, 'OpenPublic', body, bearer());
    expect(answer).toMatchObject({ status: 400, body: { code: 'malformed' }, code: 'MSG_INVALID_ARGUMENT' });
  });

  test('a body over 4 MiB is malformed', async () => {
    const answer = await post(server.url, 'Publish', JSON.stringify({ data: 'x'.repeat(4 << 20) }), bearer());
    expect(answer).toMatchObject({ status: 400, body: { code: 'malformed', msg: 'request body too large' } });
  });

  test('both casings, numbers and texts; the answer is snake_case and complete', async () => {
    const bodies = [
      { ttlSeconds: 90 },
      { ttl_seconds: 90 },
      { ttlSeconds: '90' },
      { ttl_seconds: '90', other: null },
    ];
    for (const body of bodies) {
      const answer = await rpc('OpenPublic', { name: 'public:shop.casing', ...body });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json');
      const { channel } = answer.body as { channel: Record<string, unknown> };
      expect(Object.keys(channel)).toEqual(SUMMARY);
      expect(channel).toMatchObject({
        name: 'public:shop.casing',
        state: 'open',
        ttl_seconds: 90,
        visibility: 'public',
      });
    }
  });

  test('opening twice keeps the creation time', async () => {
    const first = (await rpc('OpenPublic', { name: 'public:shop.twice' })).body as {
      channel: Record<string, string>;
    };
    const again = (await rpc('OpenPublic', { name: 'public:shop.twice' })).body as {
      channel: Record<string, string>;
    };
    expect(again.channel['created_at']).toBe(first.channel['created_at']);
    expect(String(again.channel['last_active']) >= String(first.channel['last_active'])).toBe(true);
    expect(first.channel['ttl_seconds']).toBe(1800);
  });

  test.each([
    ['OpenPublic', { name: 'public:Shop.x' }, 400, 'MSG_CHANNEL_INVALID'],
    ['OpenPublic', { name: 'private:shop.order.7' }, 400, 'MSG_CHANNEL_INVALID'],
    ['OpenPublic', {}, 400, 'MSG_CHANNEL_INVALID'],
    ['OpenPublic', { name: 'public:shop.x', ttl_seconds: -1 }, 400, 'MSG_INVALID_ARGUMENT'],
    ['Publish', { name: 'public:shop.unknown', data: '' }, 404, 'MSG_CHANNEL_NOT_FOUND'],
    ['Publish', { name: 'public:shop' }, 400, 'MSG_CHANNEL_INVALID'],
    ['GetChannel', { name: 'public:shop.unknown' }, 404, 'MSG_CHANNEL_NOT_FOUND'],
    ['DeleteChannel', { name: 'public:shop.unknown' }, 404, 'MSG_CHANNEL_NOT_FOUND'],
    ['Presence', { name: 'public:shop.unknown' }, 404, 'MSG_CHANNEL_NOT_FOUND'],
    ['CreatePrivate', { name: 'public:shop.order.7' }, 400, 'MSG_CHANNEL_INVALID'],
    ['CreatePrivate', { name: 'private:shop.order.1', ttlSeconds: 3601 }, 400, 'MSG_CHANNEL_TTL_EXCEEDS_MAX'],
    ['CreatePrivate', { name: 'private:shop.order.1', ttlSeconds: -1 }, 400, 'MSG_INVALID_ARGUMENT'],
    [
      'CreatePrivate',
      { name: 'private:shop.order.1', scopes: [{ pattern: '*:a.b', verbs: ['subscribe'] }] },
      400,
      'MSG_INVALID_ARGUMENT',
    ],
    [
      'CreatePrivate',
      { name: 'private:shop.order.1', scopes: [{ pattern: 'public:a.b', verbs: [] }] },
      400,
      'MSG_INVALID_ARGUMENT',
    ],
    [
      'CreatePrivate',
      { name: 'private:shop.order.1', scopes: [{ pattern: 'public:a.b', verbs: ['Subscribe'] }] },
      400,
      'MSG_INVALID_ARGUMENT',
    ],
  ])('%s %j is %d %s', async (method, request, status, code) => {
    const answer = await rpc(method, request);
    expect([answer.status, answer.code]).toEqual([status, code]);
  });

  test('a private channel is created once', async () => {
    const request = { name: 'private:shop.order.2', subject: 'u-9', ttlSeconds: 600 };
    const answer = await rpc('CreatePrivate', request);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual([
      'name',
      'access_token',
      'refresh_token',
      'access_expires_unix',
      'refresh_expires_unix',
      'created',
    ]);
    const access = Number(answer.body['access_expires_unix']);
    expect(Number(answer.body['refresh_expires_unix']) - access).toBe(300);
    const again = await rpc('CreatePrivate', request);
    expect([again.status, again.code]).toEqual([409, 'MSG_CHANNEL_EXISTS']);
  });

  test('the list is sorted, without deleted channels', async () => {
    for (const id of ['c', 'a', 'b']) await rpc('OpenPublic', { name: `public:list.${id}` });
    await rpc('DeleteChannel', { name: 'public:list.b' });
    expect((await rpc('DeleteChannel', { name: 'public:list.b' })).status).toBe(200);
    const { channels } = (await rpc('ListChannels', {})).body as { channels: { name: string }[] };
    const names = channels.map(channel => channel.name);
    expect(names.filter(name => name.startsWith('public:list.'))).toEqual(['public:list.a', 'public:list.c']);
    expect(names).toEqual(names.toSorted());
    expect((await rpc('Publish', { name: 'public:list.b' })).status).toBe(404);
  });

  test('offsets grow by one; empty data and any JSON value are accepted', async () => {
    const name = 'public:shop.offsets';
    await rpc('OpenPublic', { name });
    const offsets: unknown[] = [];
    for (const data of ['', 'e30=', 'plain text', { a: 1 }, [1], 7, true]) {
      offsets.push((await rpc('Publish', { name, data })).body['offset']);
    }
    expect(offsets).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect((await rpc('Presence', { name })).body).toEqual({ subscribers: 0 });
  });
});

test('--no-auth opens the management RPC and says so', async () => {
  const server = await startServer({ env: { MSG_NO_AUTH: 'yes' } });
  try {
    expect((await rpcOf(server.url)('ListChannels', {})).status).toBe(200);
    await eventually('the warning', () => /no-auth.*unauthenticated/.test(server.output().stderr));
  } finally {
    await server.stop();
  }
});
