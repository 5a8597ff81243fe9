import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';
import { closeClients, stockClient } from '../support/stock-client.ts';

let service: Embedded;
let rpc: ReturnType<typeof rpcOf>;

beforeEach(async () => {
  service = await embed();
  rpc = rpcOf(service.url, service.msg.tokens.issueManagement().token);
  for (const id of ['a', 'b', 'c', 'd', 'e']) await service.msg.channels.openPublic(`public:shop.${id}`);
  await service.msg.channels.createPrivate({ name: 'private:shop.order.1' });
  await service.msg.channels.closePublic('public:shop.c');
});
afterEach(async () => {
  closeClients();
  await stopEmbedded();
});

type Row = Readonly<Record<string, unknown>>;
const namesOf = (body: Row): readonly string[] =>
  (body['channels'] as readonly Row[]).map(({ name }) => String(name)); // as the method answers
const list = async (request: object) => (await rpc('ListChannels', request)).body;
/** Without those of the service itself. */
const own = async (request: object) => namesOf(await list(request)).filter(name => !name.includes(':msg.'));

async function subscribe(name: string): Promise<void> {
  const client = stockClient(service.websocketUrl);
  const subscription = client.newSubscription(name);
  subscription.subscribe();
  client.connect();
  await subscription.ready(20_000);
}

describe('the list of channels', () => {
  it('without members is whole, as ever', async () => {
    const body = await list({});
    expect(namesOf(body)).toEqual(namesOf(body).toSorted());
    expect(body).toMatchObject({ next_cursor: '', as_of: '', total: namesOf(body).length });
  });

  it('is narrowed by pattern, part of the name, state and visibility', async () => {
    expect(await own({ pattern: 'public:shop.*' })).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map(id => `public:shop.${id}`),
    );
    expect(await own({ pattern: '*:shop.**', visibility: 'private' })).toEqual(['private:shop.order.1']);
    expect(await own({ query: 'ORDER' })).toEqual(['private:shop.order.1']);
    expect(await own({ state: 'closed' })).toEqual(['public:shop.c']);
  });

  it('is paged by a cursor of its own order', async () => {
    const first = await list({ pattern: 'public:shop.*', limit: 2 });
    expect([namesOf(first), first['total']]).toEqual([['public:shop.a', 'public:shop.b'], 5]);
    const cursor = first['next_cursor'];
    const next = await list({ pattern: 'public:shop.*', limit: 2, cursor });
    expect(namesOf(next)).toEqual(['public:shop.c', 'public:shop.d']);
    const { status, body } = await rpc('ListChannels', { limit: 2, cursor, sort: 'created_at' });
    expect([status, body['msg']]).toEqual([
      400,
      'cursor: this listing did not make it: ask without a cursor for the first page',
    ]);
    expect((await list({ limit: 2, sort: 'last_active' }))['next_cursor']).toBe('');
  });

  it('counts subscribers of a page, and lists the busiest', async () => {
    for (const name of ['public:shop.a', 'public:shop.d', 'public:shop.d']) await subscribe(name);
    const counted = await list({ pattern: 'public:shop.*', limit: 4, counts: true });
    expect(counted['subscribers']).toEqual({
      'public:shop.a': 1,
      'public:shop.b': 0,
      'public:shop.c': 0,
      'public:shop.d': 2,
    });
    const busiest = await list({ sort: 'subscribers', descending: true, limit: 2 });
    expect([namesOf(busiest), busiest['total'], busiest['subscribers']]).toEqual([
      ['public:shop.d', 'public:shop.a'],
      -1,
      { 'public:shop.d': 2, 'public:shop.a': 1 },
    ]);
    expect(await own({ sort: 'subscribers', query: 'shop.a' })).toEqual(['public:shop.a']);
  });

  it('shows a bearer with scopes what they cover', async () => {
    const scopes = [{ pattern: 'private:shop.**', verbs: ['manage'] }];
    const { body: issued } = await rpc('IssueMgmt', { subject: 'ann', scopes });
    const mine = rpcOf(service.url, String(issued['mgmt_token']));
    const { body } = await mine('ListChannels', { limit: 10 });
    expect([namesOf(body), body['total']]).toEqual([['private:shop.order.1'], 1]);
  });

  it.each([
    [{ sort: 'age' }, 'sort must be one of name, last_active, created_at, subscribers; got "age"'],
    [{ state: 'gone' }, 'state must be one of open, closed; got "gone"'],
    [{ visibility: 'secret' }, 'visibility must be one of public, private; got "secret"'],
    [{ limit: 1001 }, 'limit must be from 1 to 1000; got 1001'],
    [{ limit: -1 }, 'limit must be from 1 to 1000; got -1'],
    [{ limit: 500, counts: true }, 'counts needs a limit of at most 200; got 500'],
    [{ query: 'x'.repeat(65) }, 'query must not be longer than 64 bytes'],
    [{ cursor: 'x' }, 'cursor: this listing did not make it: ask without a cursor for the first page'],
    [
      { cursor: 'x', sort: 'subscribers' },
      'cursor: this listing did not make it: ask without a cursor for the first page',
    ],
  ])('refuses %j', async (request, text) => {
    const { status, body } = await rpc('ListChannels', request);
    expect([status, body['msg']]).toEqual([400, text]);
  });

  it('refuses a pattern with ** before its last segment', async () => {
    const { status, body } = await rpc('ListChannels', { pattern: '*:shop.**.x' });
    expect([status, body['msg']]).toEqual([
      400,
      'scope pattern "public:shop.**.x" is invalid: ** is allowed only as the last segment',
    ]);
  });
});
