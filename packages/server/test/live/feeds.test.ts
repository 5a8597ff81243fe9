import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { embedEach } from '../support/embedded-each.ts';
import { rpcOf } from '../support/rpc.ts';
import { stockClient } from '../support/stock-client.ts';

const ROOM = 'public:shop.news';

const service = embedEach(ROOM);
const { rpc } = service;

type Row = Readonly<Record<string, unknown>>;
interface Told {
  readonly topic: string;
  readonly data: Row;
}

/** A feed that a stock client reads. */
async function feed(topics: readonly string[] = [], call = rpc) {
  const { body, status } = await call('OpenFeed', { topics });
  expect([status, body]).toMatchObject([200, { feed: expect.any(String) }]);
  const told: Told[] = [];
  const client = stockClient(service.websocketUrl, { token: String(body['access_token']) });
  const subscription = client.newSubscription(String(body['channel']));
  subscription.on('publication', ({ data }) => void told.push(data as Told));
  const ended = new Promise<number>(resolve => subscription.on('unsubscribed', ({ code }) => resolve(code)));
  subscription.subscribe();
  client.connect();
  await subscription.ready(20_000);
  return { id: String(body['feed']), channel: String(body['channel']), told, client, subscription, ended };
}

async function issued(role: string, scopes: readonly object[] = []): Promise<ReturnType<typeof rpcOf>> {
  const { body } = await rpc('IssueMgmt', { subject: `${role}@example.com`, role, scopes });
  return rpcOf(service.url, String(body['mgmt_token']));
}

const publish = (n: number) => rpc('Publish', { name: ROOM, json: { n } });
const tailsOf = (told: readonly Told[], tail: string): readonly Row[] =>
  told.filter(({ topic, data }) => topic === 'tail' && data['tail'] === tail).map(({ data }) => data);
const itemsOf = (batches: readonly Row[]): readonly Row[] =>
  batches.flatMap(batch => batch['items'] as readonly Row[]);

describe('a feed', () => {
  it('tells what was asked for, and nothing else', async () => {
    const { told } = await feed(['stats', 'hints', 'dlq', 'lifecycle', 'audit']);
    await eventually('numbers', () => told.some(({ topic }) => topic === 'stats'));
    await rpc('OpenPublic', { name: 'public:shop.late' });
    await eventually('a channel', () =>
      told.some(
        ({ topic, data }) => topic === 'lifecycle' && JSON.stringify(data).includes('public:shop.late'),
      ),
    );
    await eventually('a record', () =>
      told.some(({ topic, data }) => topic === 'audit' && JSON.stringify(data).includes('public:shop.late')),
    );
    const topics = new Set(told.map(({ topic }) => topic));
    expect([...topics].sort()).toEqual(['audit', 'dlq', 'hints', 'lifecycle', 'stats']);
    expect(told.find(({ topic }) => topic === 'stats')?.data).toMatchObject({
      nodes: [{ connections: 1 }],
      missing_nodes: [],
    });
    expect(JSON.stringify(told)).not.toContain('private:msg.console');
  });

  it('has a token for its channel alone, and is renewed and closed by the credential that opened it', async () => {
    const { body } = await rpc('OpenFeed', {});
    const id = String(body['feed']);
    expect(body['channel']).toBe(`private:msg.console.${id}`);
    expect(id).toMatch(/^[a-z2-7]{26}$/);
    expect(Number(body['access_expires_unix']) - Date.now() / 1000).toBeGreaterThan(60);
    const stranger = stockClient(service.websocketUrl, { token: String(body['access_token']) });
    const other = stranger.newSubscription('private:shop.order.1');
    const refused = new Promise(resolve => other.on('error', ({ error }) => resolve(error.code)));
    const refusedForGood = new Promise(resolve => other.on('unsubscribed', ({ code }) => resolve(code)));
    other.subscribe();
    stranger.connect();
    expect(await Promise.race([refused, refusedForGood])).toBeTypeOf('number');
    const viewer = await issued('viewer');
    for (const method of ['RenewFeed', 'CloseFeed'])
      expect((await viewer(method, { feed: id })).code).toBe('MSG_INVALID_ARGUMENT');
    const renewed = await rpc('RenewFeed', { feed: id });
    expect(renewed.body).toMatchObject({ feed: id, channel: body['channel'] });
    expect((await rpc('CloseFeed', { feed: id })).status).toBe(200);
    expect((await rpc('RenewFeed', { feed: id })).code).toBe('MSG_INVALID_ARGUMENT');
  });

  it('ends its subscription when it is closed', async () => {
    const { id, ended } = await feed();
    await rpc('CloseFeed', { feed: id });
    expect(await ended).toBe(2000);
  });

  it('is spared when its user is disconnected', async () => {
    const operator = await issued('operator');
    const { client } = await feed([], operator);
    expect((await rpc('Disconnect', { user: 'operator@example.com' })).body['disconnected']).toBe(0);
    expect(client.state).toBe('connected');
  });

  it('is one of five of a credential', async () => {
    for (let count = 0; count < 5; count++) expect((await rpc('OpenFeed', {})).status).toBe(200);
    expect((await rpc('OpenFeed', {})).code).toBe('MSG_INVALID_ARGUMENT');
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('msg_console_feeds 5');
  });

  it('ends with the right of its caller', async () => {
    const operator = await issued('operator');
    const { ended } = await feed(['stats'], operator);
    await rpc('RevokeUser', { user_id: 'operator@example.com' });
    expect([103, 2000]).toContain(await ended);
  });

  it('tells operators what viewers may not read, and filters channels by scopes', async () => {
    const viewer = await issued('viewer');
    expect((await viewer('OpenFeed', { topics: ['audit'] })).code).toBe('MSG_AUTH_DENIED');
    const scoped = await issued('operator', [{ pattern: 'public:mine.**', verbs: ['manage'] }]);
    expect((await scoped('OpenFeed', { topics: ['dlq'] })).code).toBe('MSG_AUTH_DENIED');
    const { told } = await feed(['lifecycle', 'stats'], scoped);
    await eventually('it is read', () => told.length > 0);
    await rpc('OpenPublic', { name: 'public:other.room' });
    await rpc('OpenPublic', { name: 'public:mine.room' });
    await eventually('its channel', () => JSON.stringify(told).includes('public:mine.room'));
    expect(JSON.stringify(told)).not.toContain('public:other.room');
  });

  it.each([
    ['OpenFeed', { topics: ['weather'] }, /topics must be of stats/],
    ['RenewFeed', {}, /feed is required/],
    ['RenewFeed', { feed: 'x' }, /no such feed/],
    ['CloseFeed', { feed: 'x' }, /no such feed/],
    ['StartTail', { name: ROOM }, /feed is required/],
    ['StartTail', { feed: 'x', name: ROOM }, /no such feed/],
    [
      'StartTail',
      { feed: 'x', name: ROOM, max_per_second: 101 },
      /max_per_second must be from 1 to 100; got 101/,
    ],
    ['StartTail', { feed: 'x', name: ROOM, max_payload_bytes: 16_385 }, /max_payload_bytes must be/],
    ['StopTail', { feed: 'x' }, /tail is required/],
    ['StopTail', { feed: 'x', tail: 'y' }, /no such tail/],
    ['OpenPublic', { name: 'public:msg.console.x' }, /reserved/],
    ['CreatePrivate', { name: 'private:msg.console.x' }, /reserved/],
  ] as const)('%s refuses %j', async (method, request, problem) => {
    const { code, body } = await rpc(method, request);
    expect([code, JSON.stringify(body)]).toMatchObject([
      'MSG_INVALID_ARGUMENT',
      expect.stringMatching(problem),
    ]);
  });
});

describe('a tail', () => {
  it('shows and skips what passed, to the last publication, across pauses and reconnects of its feed', async () => {
    await publish(0);
    const { id, told, client, subscription } = await feed();
    let [shown, skipped, passed] = [0, 0, 0];
    const counted = async (tail: string, top: number): Promise<Row> => {
      await eventually('the last offset', () => tailsOf(told, tail).at(-1)?.['to_offset'] === top);
      return tailsOf(told, tail).at(-1) ?? {};
    };
    const begin = async () => (await rpc('StartTail', { feed: id, name: ROOM, max_per_second: 5 })).body;
    const first = await begin();
    expect(first['offset']).toBe(1);
    for (let n = 1; n <= 40; n++) await publish(n);
    let last = await counted(String(first['tail']), 41);
    const items = itemsOf(tailsOf(told, String(first['tail'])));
    expect(items.length).toBeGreaterThan(4);
    expect(items.length + Number(last['skipped'])).toBe(40);
    expect(items[0]).toMatchObject({ offset: 2, data: '{"n":1}', encoding: 'json', hidden: false });
    // The feed is away: what it misses is in the numbers of the next batch.
    client.disconnect();
    for (let n = 41; n <= 50; n++) await publish(n);
    client.connect();
    await subscription.ready(20_000);
    last = await counted(String(first['tail']), 51);
    const seen = itemsOf(tailsOf(told, String(first['tail']))).length;
    expect(Number(last['seen'])).toBe(50);
    expect(seen).toBeLessThanOrEqual(50);
    await rpc('StopTail', { feed: id, tail: first['tail'] });
    await eventually('its end', () => tailsOf(told, String(first['tail'])).at(-1)?.['ended'] === 'stopped');
    last = tailsOf(told, String(first['tail'])).at(-1) ?? {};
    shown += itemsOf(tailsOf(told, String(first['tail']))).length;
    skipped += Number(last['to_offset']) - Number(last['from_offset']) - shown;
    // Paused: what passes meanwhile is the distance of the offsets.
    for (let n = 51; n <= 60; n++) await publish(n);
    const second = await begin();
    passed = Number(second['offset']) - Number(last['to_offset']);
    expect(passed).toBe(10);
    for (let n = 61; n <= 63; n++) await publish(n);
    last = await counted(String(second['tail']), 64);
    const again = itemsOf(tailsOf(told, String(second['tail'])));
    expect(again).toHaveLength(3);
    expect(shown + skipped + passed + again.length + Number(last['skipped'])).toBe(64 - 1);
  });

  it('does not count as a subscriber, and keeps nothing open', async () => {
    const { id } = await feed();
    await rpc('StartTail', { feed: id, name: ROOM });
    expect((await rpc('Presence', { name: ROOM })).body['subscribers']).toBe(0);
    expect((await rpc('PresenceList', { name: ROOM })).body['total']).toBe(0);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('msg_subscribers_active{channel_visibility="public"} 0');
    expect(metrics).toContain('msg_console_tails 1');
  });

  it('needs an open channel, and ends when it is closed', async () => {
    const { id, told } = await feed();
    expect((await rpc('StartTail', { feed: id, name: 'public:shop.none' })).code).toBe(
      'MSG_CHANNEL_NOT_FOUND',
    );
    const { body } = await rpc('StartTail', { feed: id, name: ROOM });
    await rpc('CloseChannel', { name: ROOM });
    await eventually('its end', () => tailsOf(told, String(body['tail'])).at(-1)?.['ended'] === 'closed');
  });

  it('shows viewers no payload, and is one of five of a feed', async () => {
    const viewer = await issued('viewer');
    const { id, told } = await feed([], viewer);
    for (let count = 0; count < 5; count++)
      expect((await viewer('StartTail', { feed: id, name: ROOM })).status).toBe(200);
    expect((await viewer('StartTail', { feed: id, name: ROOM })).code).toBe('MSG_INVALID_ARGUMENT');
    await rpc('Publish', { name: ROOM, json: { text: 'a-secret-payload' } });
    await eventually('it passes', () => told.filter(({ topic }) => topic === 'tail').length >= 5);
    expect(JSON.stringify(told)).not.toContain('a-secret-payload');
    expect(itemsOf(told.map(({ data }) => data))[0]).toMatchObject({ hidden: true, data: '', size: 27 });
  });

  it('is one of fifty of a node, also when all begin at once', async () => {
    const callers = await Promise.all([1, 2, 3].map(() => issued('operator')));
    const feeds = await Promise.all(
      callers.flatMap(call =>
        Array.from({ length: 4 }, async () => ({ call, id: (await call('OpenFeed', {})).body['feed'] })),
      ),
    );
    const begun = feeds.flatMap(({ call, id }) =>
      Array.from({ length: 5 }, () => call('StartTail', { feed: id, name: ROOM })),
    );
    const statuses = (await Promise.all(begun)).map(({ status }) => status);
    expect(statuses.filter(status => status === 200)).toHaveLength(50);
  });

  it('may be begun by who may listen, or manages, and by no other bearer with scopes', async () => {
    const byVerb = (verb: string) => issued('operator', [{ pattern: 'public:shop.**', verbs: [verb] }]);
    for (const [verb, status] of [
      ['subscribe', 200],
      ['manage', 200],
      ['publish', 403],
    ] as const) {
      const call = await byVerb(verb);
      const { body } = await call('OpenFeed', {});
      expect((await call('StartTail', { feed: body['feed'], name: ROOM })).status).toBe(status);
    }
  });
});
