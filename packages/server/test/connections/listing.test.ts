import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { embedEach } from '../support/embedded-each.ts';
import { rpcOf } from '../support/rpc.ts';
import { stockClient } from '../support/stock-client.ts';

const ROOM = 'public:shop.news';
const SECRET = 'private:shop.order.1';

const service = embedEach(ROOM);
const { rpc } = service;

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (body: Row): readonly Row[] => body['connections'] as readonly Row[]; // as the method answers
const list = async (request: object = {}) => (await rpc('ListConnections', request)).body;

/** A connected client of a user; an empty one is anonymous. */
async function client(user: string, ...channels: readonly string[]) {
  const scopes = [{ pattern: 'private:shop.**', verbs: ['subscribe'] }];
  const pair = user === '' ? undefined : await service.msg.tokens.issueAccess({ subject: user, scopes });
  const options = { name: 'board', version: '2.1', ...(pair ? { token: pair.access_token } : {}) };
  const connection = stockClient(service.websocketUrl, options);
  const ids = new Promise<string>(resolve => connection.on('connected', context => resolve(context.client)));
  const ended = new Promise<number>(resolve => connection.on('disconnected', ({ code }) => resolve(code)));
  const reconnecting = new Promise<number>(resolve =>
    connection.on('connecting', ({ code }) => code > 0 && resolve(code)),
  );
  connection.connect();
  const id = await ids;
  for (const channel of channels) {
    const subscription = connection.newSubscription(channel);
    subscription.subscribe();
    await subscription.ready(20_000);
  }
  return { id, ended, reconnecting, connection };
}

describe('the list of connections', () => {
  it('has a row for each, with what an operator looks for', async () => {
    const { id } = await client('ann', ROOM);
    const [row] = rowsOf(await list());
    expect(row).toMatchObject({
      client: id,
      user: 'ann',
      transport: 'websocket',
      encoding: 'json',
      address: '127.0.0.1',
      client_name: 'board',
      client_version: '2.1',
      subscriptions: 1,
      queue_bytes: 0,
      rests_on: service.msg.keys.activeId,
    });
    expect(Math.abs(Date.parse(String(row?.['connected_at'])) - Date.now())).toBeLessThan(60_000);
    expect(Number(row?.['expires_unix'])).toBeGreaterThan(Date.now() / 1000);
  });

  it('is narrowed by every filter', async () => {
    const ann = await client('ann', ROOM);
    const ben = await client('ben');
    const none = await client('');
    const ids = async (request: object) =>
      rowsOf(await list(request))
        .map(row => row['client'])
        .toSorted();
    const all = [ann.id, ben.id, none.id].toSorted();
    expect(await ids({ user: 'ann' })).toEqual([ann.id]);
    expect(await ids({ client: ben.id })).toEqual([ben.id]);
    expect(await ids({ name: ROOM })).toEqual([ann.id]);
    expect(await ids({ transport: 'websocket' })).toEqual(all);
    expect(await ids({ transport: 'sse' })).toEqual([]);
    expect(await ids({ address: '127.0.0.0/8' })).toEqual(all);
    expect(await ids({ address: '10.0.0.0/8' })).toEqual([]);
    expect(await ids({ min_queue_bytes: 1 })).toEqual([]);
    expect(await ids({ user: 'ann', name: 'public:shop.other' })).toEqual([]);
  });

  it('is paged without a gap while others come and go', async () => {
    for (const user of ['u-1', 'u-2', 'u-3', 'u-4', 'u-5']) await client(user);
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const body = await list({ sort: 'user', limit: 2, cursor });
      seen.push(...rowsOf(body).map(row => row['user']));
      cursor = String(body['next_cursor']);
      await client(`a-${seen.length}`);
    } while (cursor !== '');
    expect(seen).toEqual(['u-1', 'u-2', 'u-3', 'u-4', 'u-5']);
  });

  it('has one page where rows move', async () => {
    for (const user of ['u-1', 'u-2', 'u-3']) await client(user);
    const body = await list({ sort: 'queue_bytes', descending: true, limit: 2 });
    expect([rowsOf(body).length, body['total'], body['next_cursor']]).toEqual([2, 3, '']);
  });

  it.each([
    [{ sort: 'name' }, 'sort must be one of age, user, queue_bytes, subscriptions'],
    [{ limit: 201 }, 'limit must be from 1 to 200; got 201'],
    [{ address: '10.0.0.0/40' }, 'address must be an IP address or a range of them; got "10.0.0.0/40"'],
    [{ min_queue_bytes: -1 }, 'min_queue_bytes must be 0 or more; got -1'],
    [{ cursor: 'x' }, 'cursor: this listing did not make it: ask without a cursor for the first page'],
    [
      { cursor: 'a'.repeat(600) },
      'cursor: this listing did not make it: ask without a cursor for the first page',
    ],
  ])('refuses %j', async (request, text) => {
    const { status, body } = await rpc('ListConnections', request);
    expect([status, body['msg']]).toEqual([400, text]);
  });

  it('takes no cursor of another order', async () => {
    for (const user of ['u-1', 'u-2']) await client(user);
    const { next_cursor: cursor } = await list({ sort: 'user', limit: 1 });
    for (const request of [
      { sort: 'age', cursor },
      { sort: 'user', descending: true, cursor },
    ])
      expect((await rpc('ListConnections', request)).body['msg']).toContain('this listing did not make it');
  });

  it('is for a bearer with scopes only by a channel that they cover', async () => {
    await client('ann', ROOM);
    const scopes = [{ pattern: 'public:shop.**', verbs: ['manage'] }];
    const { token } = service.msg.tokens.issueManagement('board', 0, { role: 'viewer', scopes });
    const call = rpcOf(service.url, token);
    expect(rowsOf((await call('ListConnections', { name: ROOM })).body)).toHaveLength(1);
    expect((await call('ListConnections', {})).status).toBe(403);
    expect((await call('ListConnections', { name: 'public:other.a' })).status).toBe(403);
  });
});

describe('one connection', () => {
  it('tells what it subscribes to and what it waits for', async () => {
    await service.msg.channels.createPrivate({ name: SECRET });
    const { id, connection } = await client('ann', ROOM, SECRET);
    await service.msg.channels.openPublic('public:shop.closed');
    await rpc('CloseChannel', { name: 'public:shop.closed' });
    for (const name of ['public:shop.closed', 'public:shop.none'])
      connection.newSubscription(name).subscribe();
    const get = async () => (await rpc('GetConnection', { client: id })).body;
    await eventually('it waits', async () => (await get())['waiting']?.toString().split(',').length === 2);
    const body = await get();
    expect(body['waiting']).toMatchObject([
      { channel: 'public:shop.closed', reason: 'the channel is closed' },
      { channel: 'public:shop.none', reason: 'there is no such channel' },
    ]);
    const channels = body['subscriptions'] as readonly Row[];
    expect(channels.map(row => row['channel'])).toEqual([ROOM, SECRET]);
    expect(channels[0]?.['rests_on']).toEqual({ kid: '', jti: '', expires_unix: 0 });
    expect(channels[1]?.['rests_on']).toMatchObject({ kid: service.msg.keys.activeId });
    expect(body['connection']).toMatchObject({ client: id, subscriptions: 2 });
  });

  it('shows a bearer with scopes what they cover, and is unknown to others', async () => {
    const { id } = await client('ann', ROOM);
    const bounded = (pattern: string) =>
      rpcOf(
        service.url,
        service.msg.tokens.issueManagement('b', 0, { scopes: [{ pattern, verbs: ['manage'] }] }).token,
      )('GetConnection', { client: id });
    expect((await bounded('public:shop.**')).body['subscriptions']).toMatchObject([{ channel: ROOM }]);
    expect((await bounded('public:other.**')).body['msg']).toBe('no such connection');
    expect((await rpc('GetConnection', { client: 'unknown' })).body['msg']).toBe('no such connection');
    expect((await rpc('GetConnection', {})).body['msg']).toBe('client is required');
  });
});

describe('an explanation of a connection', () => {
  const explain = (request: object) => rpc('ExplainAccess', { name: SECRET, verb: 'subscribe', ...request });

  it('rests on the token that the connection has', async () => {
    await service.msg.channels.createPrivate({ name: SECRET });
    const [ann, anonymous] = [await client('ann', SECRET), await client('')];
    expect((await explain({ client: ann.id })).body).toMatchObject({
      allowed: true,
      decided_by: 'allow-scope',
    });
    expect((await explain({ client: ann.id, verb: 'publish' })).body).toMatchObject({ allowed: false });
    expect((await explain({ client: anonymous.id })).body).toMatchObject({
      allowed: false,
      decided_by: 'none',
      channel_state: 'open',
    });
    await service.msg.tokens.revokeUser('ann');
    expect((await explain({ client: ann.id })).body['msg'] ?? 'revoked').toMatch(
      /no such connection|revoked/,
    );
  });

  it('needs a connection that is there, and no token beside it', async () => {
    expect((await explain({ client: 'unknown' })).body['msg']).toBe('no such connection');
    expect((await explain({ client: 'unknown', token: 'x' })).body['msg']).toContain(
      'not allowed with client',
    );
  });
});

describe('users', () => {
  it('are listed by the begin of their ids, a page at a time', async () => {
    for (const user of ['ann', 'ann', 'anton', 'ben']) await client(user);
    await client('');
    const { body } = await rpc('ListUsers', { query: 'an', limit: 1 });
    const [first] = body['users'] as readonly Row[];
    expect([first?.['user'], first?.['connections'], body['total']]).toEqual(['ann', 2, 2]);
    const next = await rpc('ListUsers', { query: 'an', limit: 1, cursor: body['next_cursor'] });
    expect([(next.body['users'] as readonly Row[])[0]?.['user'], next.body['next_cursor']]).toEqual([
      'anton',
      '',
    ]);
  });
});

describe('a disconnect', () => {
  it('ends a connection, or all of a user, with the code that was asked for', async () => {
    const [one, two, other] = [await client('ann'), await client('ann'), await client('ben')];
    expect((await rpc('Disconnect', { client: other.id, reconnect: true })).body['disconnected']).toBe(1);
    expect(await other.reconnecting).toBe(3011);
    expect((await rpc('Disconnect', { user: 'ann', reason: 'left the company' })).body['disconnected']).toBe(
      2,
    );
    expect([await one.ended, await two.ended]).toEqual([3503, 3503]);
    expect((await rpc('Disconnect', { user: 'ann' })).body['disconnected']).toBe(0);
  });

  it.each([
    [{}, 'exactly one of client and user is required'],
    [{ client: 'a', user: 'b' }, 'exactly one of client and user is required'],
    [{ client: 'unknown' }, 'no such connection'],
    [{ user: 'a', reason: 'ä'.repeat(33) }, 'reason must not be longer than 64 bytes'],
  ])('is refused: %j', async (request, text) => {
    const { status, body } = await rpc('Disconnect', request);
    expect([status, body['msg']]).toEqual([400, text]);
  });
});

describe('an unsubscribe', () => {
  it('ends the subscriptions that it names, and no other', async () => {
    const ann = await client('ann', ROOM);
    const ben = await client('ben', ROOM);
    await client('eve', ROOM);
    const left = async () => (await rpc('PresenceList', { name: ROOM })).body['total'];
    expect((await rpc('Unsubscribe', { name: ROOM, client: ann.id })).body['unsubscribed']).toBe(1);
    expect((await rpc('Unsubscribe', { name: ROOM, user: 'ben' })).body['unsubscribed']).toBe(1);
    expect(await left()).toBe(1);
    expect((await rpc('Unsubscribe', { name: ROOM, all: true })).body['unsubscribed']).toBe(1);
    expect(await left()).toBe(0);
    expect(ben.connection.state).toBe('connected');
    expect((await rpc('Unsubscribe', { name: ROOM })).body['msg']).toContain('exactly one of');
    expect((await rpc('Unsubscribe', { name: 'nonsense', all: true })).code).toBe('MSG_CHANNEL_INVALID');
  });
});

describe('the subscribers of a channel', () => {
  it('are listed from live subscriptions, a page at a time', async () => {
    const ids = [];
    for (const user of ['ann', 'ben', 'eve']) ids.push((await client(user, ROOM)).id);
    const first = (await rpc('PresenceList', { name: ROOM, limit: 2 })).body;
    const second = (await rpc('PresenceList', { name: ROOM, limit: 2, cursor: first['next_cursor'] })).body;
    const entries = [first, second].flatMap(body => body['entries'] as readonly Row[]);
    expect(entries.map(entry => entry['client'])).toEqual(ids.toSorted());
    expect([first['total'], second['next_cursor']]).toEqual([3, '']);
    expect(entries[0]).toMatchObject({ node: expect.any(String), conn_info: '', hidden: false });
    expect((await rpc('PresenceList', { name: 'public:shop.unknown' })).code).toBe('MSG_CHANNEL_NOT_FOUND');
  });

  it('do not change by being looked at', async () => {
    await client('ann', ROOM);
    const before = await service.msg.channels.get(ROOM);
    for (const method of ['PresenceList', 'GetChannel', 'History']) await rpc(method, { name: ROOM });
    await list({ name: ROOM });
    expect(await service.msg.channels.get(ROOM)).toEqual(before);
    expect(await service.msg.presence(ROOM)).toBe(1);
  });
});
