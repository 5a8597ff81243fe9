import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterNode, startNodes } from '../../support/cluster.ts';
import { closeClients, follow, received, stockClient } from '../../support/stock-client.ts';

const ROOM = 'public:shop.news';

type Row = Readonly<Record<string, unknown>>;

let redis: RedisServer;
let a: ClusterNode;
let b: ClusterNode;

beforeAll(async () => {
  redis = await RedisServer.start();
}, 60_000);
beforeEach(async () => {
  const nodes = await startNodes(2, redis.address, 'live', { args: ['--console', 'on'] });
  [a, b] = nodes as [ClusterNode, ClusterNode]; // as many as were started
  await a.rpc('OpenPublic', { name: ROOM });
}, 60_000);
afterEach(async () => {
  closeClients();
  await Promise.all([a.stop(), b.stop()]);
  await redis.command('FLUSHALL');
}, 60_000);
afterAll(() => redis.stop());

const publish = async (node: ClusterNode, n: number): Promise<number> => {
  const { body, status } = await node.rpc('Publish', { name: ROOM, json: { n } });
  expect([status, body]).toMatchObject([200, {}]);
  return Number(body['offset']);
};

/** A client that reads the channel of a feed. */
async function read(node: ClusterNode, { channel, access_token }: Row) {
  const client = stockClient(node.websocketUrl, { token: String(access_token) });
  const { subscription, ended } = await follow(client, String(channel));
  const publications = received(subscription);
  return {
    ended,
    tails: () =>
      publications
        .map(({ data }) => data as Row)
        .filter(isTail)
        .map(dataOf),
  };
}
const isTail = ({ topic }: Row): boolean => topic === 'tail';
const dataOf = ({ data }: Row): Row => data as Row; // an item of a feed

describe('a tail whose stream is lost with the store', () => {
  it('goes on in the next one, and shows what passes there from its begin', async () => {
    const { body } = await a.rpc('OpenFeed', {});
    const { tails } = await read(a, body);
    const last = (): Row => tails().at(-1) ?? {};
    await publish(b, 1);
    expect((await a.rpc('StartTail', { feed: body['feed'], name: ROOM })).body['offset']).toBe(1);
    await publish(b, 2);
    await eventually('it is shown', () => last()['to_offset'] === 2);
    const { epoch } = last();
    await redis.command('FLUSHALL');
    await b.rpc('OpenPublic', { name: ROOM });
    expect(await publish(b, 3)).toBe(1);
    await eventually('the next stream is shown', () => last()['epoch'] !== epoch);
    expect(await publish(b, 4)).toBe(2);
    await eventually('it goes on', () => last()['to_offset'] === 2);
    const [before, after] = [true, false].map(isOld =>
      tails().filter(row => (row['epoch'] === epoch) === isOld),
    );
    const shown = (batches: readonly Row[] = []) =>
      batches.flatMap(({ items }) => (items as readonly Row[]).map(item => item['data']));
    expect([shown(before), shown(after)]).toEqual([['{"n":2}'], ['{"n":3}', '{"n":4}']]);
    expect(last()).toMatchObject({ from_offset: 0, seen: 2, skipped: 0, ended: '' });
  }, 60_000);
});

/** Calls of a session of the console; its cookie counts at both nodes. */
class Session {
  #secret = '';

  async call(node: ClusterNode, path: string, body: object = {}): Promise<{ status: number; body: Row }> {
    const { origin, port } = new URL(node.url);
    const headers = { 'content-type': 'application/json', 'x-msg-console': '1', origin };
    const cookie = `msg-console-${port}=${this.#secret}`;
    const answer = await fetch(`${node.url}/console/${path}`, {
      method: 'POST',
      headers: { ...headers, cookie },
      body: JSON.stringify(body),
    });
    const [set] = answer.headers.getSetCookie();
    if (set !== undefined) this.#secret = /=([\w-]*)/.exec(set)?.[1] ?? '';
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Row) }; // JSON objects only
  }

  rpc(node: ClusterNode, method: string, body: object = {}) {
    return this.call(node, `twirp/msg.MsgService/${method}`, body);
  }
}

/** What operators look at, by the metrics of a node. */
async function watched({ url }: ClusterNode) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return { feeds: count('msg_console_feeds'), tails: count('msg_console_tails') };
}

describe('signing out at one node', () => {
  it('ends what the session looks at on the other one', async () => {
    const session = new Session();
    expect((await session.call(a, 'session', { token: a.token })).status).toBe(200);
    const { body } = await session.rpc(a, 'OpenFeed');
    const { ended } = await read(a, body);
    const tail = await session.rpc(b, 'StartTail', { feed: body['feed'], name: ROOM });
    expect([tail.status, await watched(a)]).toEqual([200, { feeds: 1, tails: 1 }]);
    const client = stockClient(a.websocketUrl);
    const id = new Promise<string>(resolve => client.on('connected', context => resolve(context.client)));
    client.connect();
    const started = await session.rpc(b, 'StartRecording', { client: await id, seconds: 600 });
    expect([started.status, started.body]).toMatchObject([200, { recording: expect.any(String) }]);
    expect((await session.call(b, 'session/end')).status).toBe(204);
    expect(await ended).toBe(2000);
    expect(await watched(a)).toEqual({ feeds: 0, tails: 0 });
    await eventually('the recording has ended', async () => {
      const { body: page } = await a.rpc('GetRecording', { recording: started.body['recording'] });
      return page['state'] === 'rights';
    });
    expect((await a.rpc('RenewFeed', { feed: body['feed'] })).code).toBe('MSG_INVALID_ARGUMENT');
  }, 60_000);
});

describe('five feeds of a session', () => {
  it('are counted over all nodes, and a closed one makes room at any of them', async () => {
    const session = new Session();
    await session.call(a, 'session', { token: a.token });
    const opened = [];
    for (const node of [a, b, a, b, a]) opened.push(await session.rpc(node, 'OpenFeed'));
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const node of [a, b]) expect((await session.rpc(node, 'OpenFeed')).status).toBe(400);
    const other = new Session();
    await other.call(b, 'session', { token: a.token });
    expect((await other.rpc(b, 'OpenFeed')).status).toBe(200);
    await session.rpc(a, 'CloseFeed', { feed: opened[1]?.body['feed'] });
    expect((await session.rpc(a, 'OpenFeed')).status).toBe(200);
    expect((await session.rpc(b, 'OpenFeed')).status).toBe(400);
  }, 60_000);
});
