import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataSources } from '#src/data/sources.ts';
import type { JsonObject } from '#src/document/json.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { post, Serving } from '../../http/serving.ts';
import { askOne, codeOf, rowsOf, sourcesOf, tablesOf } from '../asked.ts';
import { sectionOf } from '../connections-page.ts';
import { Listener } from '../listeners.ts';
import { OrdersChannel } from '../orders-channel.ts';

let orders: OrdersChannel;
const open: DataSources[] = [];
const engine = openDocumentEngine();
beforeAll(async () => {
  orders = await OrdersChannel.open();
}, 120_000);
afterAll(async () => {
  await Promise.all(open.map(sources => sources.close()));
  await orders?.stop();
});

function sourcesFor(channel: OrdersChannel): DataSources {
  const sources = sourcesOf({ allow: [channel.origin] });
  open.push(sources);
  return sources;
}

/** A document with one table of a channel, listened to as a page does. */
function listening(channel: OrdersChannel, config: JsonObject = {}) {
  const sources = sourcesFor(channel);
  const connection = channel.connection(config);
  const tree = engine.resolve(tablesOf({ one: connection }, { item: { connection: 'one' } }));
  const events: number[] = [];
  const stop = sources.watch(tree, ids => {
    expect(ids).toEqual(['item']);
    events.push(events.length);
  });
  return { sources, events, stop, ask: (query?: JsonObject) => askOne(sources, connection, query) };
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ n: from + index }));

describe('rows of a channel', () => {
  it('are the newest publications, oldest first, as the page about connections shows them', async () => {
    const [connection, publications, rows] = sectionOf('msg').blocks;
    for (const publication of publications) await orders.publish(publication);
    const url = String(connection.config.url).replace('ws://127.0.0.1:8000', orders.origin);
    const asked = { type: connection.type, config: { ...connection.config, url } };
    expect(rowsOf(await askOne(sourcesFor(orders), asked))).toEqual(rows);
  });

  it('are those that a query picks, and no more than history', async () => {
    for (const row of numbers(1, 5)) await orders.publish({ ...row, other: { deep: 1 } });
    const { ask, stop } = listening(orders, { history: 4 });
    expect(rowsOf(await ask({ fields: ['n', 'none'], limit: 2 }))).toEqual([
      { n: 4, none: null },
      { n: 5, none: null },
    ]);
    expect(rowsOf(await ask())).toHaveLength(4);
    expect(rowsOf(await ask({ limit: 100 }))[0]).toEqual({ n: 2, other: '{"deep":1}' });
    stop();
  });

  it('have a scalar as value', async () => {
    for (const value of [1, 'two', true, null, [3]]) await orders.publish(value);
    const { ask, stop } = listening(orders);
    expect(rowsOf(await ask({ limit: 5 }))).toEqual([1, 'two', true, null, '[3]'].map(value => ({ value })));
    stop();
  });

  it('of a channel without readable history are those since somebody listens, with a warning', async () => {
    await orders.publish({ n: 1 }, 'public:shop.hidden');
    const { ask, stop, events } = listening(orders, { channel: 'public:shop.hidden' });
    const before = await ask();
    expect(before).toMatchObject({
      state: 'empty',
      data: { warnings: [expect.stringContaining('history')] },
    });
    const heard = events.length;
    await orders.publish({ n: 2 }, 'public:shop.hidden');
    await eventually('the publication is heard of', () => events.length > heard);
    expect(rowsOf(await ask())).toEqual([{ n: 2 }]);
    stop();
  });

  it('of several viewers come over one connection', async () => {
    const listener = await Listener.open();
    const sources = sourcesOf({ allow: [`ws://127.0.0.1:${listener.port}`] });
    const url = `ws://127.0.0.1:${listener.port}/connection/websocket`;
    const connections = Object.fromEntries(
      ['a', 'b', 'c'].map(id => [
        id,
        { type: 'msg', config: { url, channel: `public:shop.${id}`, timeout: 1 } },
      ]),
    );
    const items = Object.fromEntries(['a', 'b', 'c'].map(id => [`item-${id}`, { connection: id }]));
    const answers = sources.ask(engine.resolve(tablesOf(connections, items)));
    const all = await Promise.all([...answers.values()].map(({ later, now }) => later ?? now));
    expect(all.map(codeOf)).toEqual(['QUERY_TIMEOUT', 'QUERY_TIMEOUT', 'QUERY_TIMEOUT']);
    expect(listener.connections).toBe(1);
    await eventually('it is ended', () => listener.ended === 1);
    await sources.close();
    await listener.close();
  });
});

describe('a publication', () => {
  it('is told within a second, and many are told at most once a second', async () => {
    const { ask, events, stop } = listening(orders, { channel: 'public:shop.short', history: 1_000 });
    await ask();
    await new Promise(resolve => setTimeout(resolve, 1_100)); // what the subscription itself told is over
    const heard = events.length;
    for (const row of numbers(1, 100)) await orders.publish(row, 'public:shop.short');
    await eventually('it is heard of', () => events.length > heard);
    await eventually('all are shown', async () => rowsOf(await ask()).length === 100);
    await eventually('it is heard of the last', () => events.length > heard + 1);
    expect(rowsOf(await ask())).toEqual(numbers(1, 100));
    stop();
  });

  it('that is refused shows the code of the protocol', async () => {
    for (const [channel, code] of [
      ['public:shop.unknown', 102],
      ['Not a channel', 107],
    ] as const) {
      const data = await askOne(sourcesFor(orders), orders.connection({ channel }));
      expect(data).toMatchObject({ state: 'error', error: { code: 'QUERY_FAILED', details: { code } } });
    }
  });

  it('that is refused shows the code of the protocol each time, beside a channel that is shown', async () => {
    const { sources, stop, ask } = listening(orders);
    await ask();
    for (const channel of ['public:shop.unknown', 'public:shop.unknown', 'private:shop.order.1']) {
      const data = await askOne(sources, orders.connection({ channel, cache: 0 }));
      expect(data).toMatchObject({
        state: 'error',
        error: { code: 'QUERY_FAILED', details: { code: expect.any(Number) } },
      });
    }
    stop();
  });

  it('of a private channel is shown to who has its token', async () => {
    const channel = 'private:shop.order.77';
    const token = await orders.createPrivate(channel);
    await orders.publish({ n: 77 }, channel);
    const environment = { TOKEN: token };
    const asked = (config: JsonObject, sources = sourcesFor(orders)) =>
      askOne(sources, orders.connection({ channel, ...config }), undefined, { environment });
    const sources = sourcesOf({ allow: [`${orders.origin}=TOKEN`], environment });
    open.push(sources);
    expect(rowsOf(await asked({ token: { $secret: 'TOKEN' } }, sources))).toEqual([{ n: 77 }]);
    for (const config of [{}, { token: 'no token' }])
      expect(await asked(config)).toMatchObject({ error: { code: 'QUERY_FAILED', details: { code: 103 } } });
  });
});

describe('a node that is started again', () => {
  it('without its streams is read anew: nothing is lost that there is, and nothing shown twice', async () => {
    const own = await OrdersChannel.open();
    const { ask, stop, events } = listening(own);
    for (const row of numbers(1, 3)) await own.publish(row);
    await ask();
    await eventually('all are shown', async () => rowsOf(await ask()).length === 3);
    await own.kill();
    await eventually('it is said that the rows are old', async () => (await ask()).state === 'stale');
    await own.start();
    for (const row of numbers(4, 5)) await own.publish(row);
    const heard = events.length;
    await eventually('the new stream is read', async () => {
      const data = await ask();
      return data.state === 'ready' && rowsOf(data).length === 2;
    });
    expect(rowsOf(await ask())).toEqual(numbers(4, 5));
    expect(events.length).toBeGreaterThanOrEqual(heard);
    stop();
    await own.stop();
  }, 120_000);

  it('over a store is recovered: what another node published meanwhile is shown once', async () => {
    const redis = await RedisServer.start();
    const store = ['--redis-addr', redis.address];
    const [own, other] = [await OrdersChannel.open(store), await OrdersChannel.open(store)];
    const { ask, stop } = listening(own);
    for (const row of numbers(1, 3)) await own.publish(row);
    await ask();
    await eventually('all are shown', async () => rowsOf(await ask()).length === 3);
    await own.kill();
    for (const row of numbers(4, 6)) await other.publish(row);
    await own.start();
    await eventually('what was missed is shown', async () => {
      const data = await ask();
      return data.state === 'ready' && rowsOf(data).length === 6;
    });
    await other.publish({ n: 7 });
    await eventually('and what follows', async () => rowsOf(await ask()).length === 7);
    expect(rowsOf(await ask())).toEqual(numbers(1, 7));
    stop();
    await Promise.all([own.stop(), other.stop()]);
    await redis.stop();
  }, 120_000);
});

describe('a served dashboard', () => {
  it('tells its pages of publications, and shows them', async () => {
    const root = await mkdtemp(join(tmpdir(), 'dash-msg-'));
    const document = tablesOf(
      { live: orders.connection({ channel: 'public:shop.short' }) },
      { item: { connection: 'live', query: { fields: ['n'], limit: 1 } } },
    );
    await writeFile(join(root, 'tables.json'), JSON.stringify(document));
    const serving = await Serving.start(['--root', root, '--allow-query', orders.origin]);
    const ending = new AbortController();
    const { body: events } = await fetch(`${serving.url}/api/d/tables/events`, { signal: ending.signal });
    let heard = '';
    const reading = (async () => {
      for await (const text of events?.pipeThrough(new TextDecoderStream()) ?? []) heard += text;
    })().catch(() => undefined);
    const told = () => heard.split('event: items\ndata: {"ids":["item"]}\n').length - 1;
    await eventually('the channel is listened to', () => told() > 0);
    for (const n of [1_001, 1_002]) {
      const before = told();
      await orders.publish({ n }, 'public:shop.short');
      await eventually('the page is told', () => told() > before);
      await eventually('it shows the publication', async () => {
        const { body } = await post(
          `${serving.url}/api/d/tables/data`,
          {},
          { 'content-type': 'application/json' },
        );
        return JSON.stringify(body.items.item.rows) === JSON.stringify([{ n }]);
      });
    }
    ending.abort();
    await reading;
    await serving.stop();
    await rm(root, { recursive: true, force: true });
  }, 120_000);
});
