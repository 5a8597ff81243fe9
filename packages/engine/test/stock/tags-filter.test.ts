import type { FilterNode } from 'centrifuge';
import { describe, expect, it } from 'vitest';
import { STOCK } from './stock-clients.ts';
import { type StockServer, serve } from './stock-server.ts';

const policy = { subscribe: () => ({ recovery: 'stream' as const, tagsFilter: true }) };
const OVER_TEN: FilterNode = { key: 'price', cmp: 'gt', val: '10.5' };

/** Publishes prices, each with its value as tag. */
async function publishPrices(server: StockServer, ...prices: number[]): Promise<void> {
  for (const price of prices) {
    await server.publish('prices', price, { tags: new Map([['price', String(price)]]) });
  }
}

describe.concurrent.each(STOCK)('tags filter, $name', stock => {
  it('lets only matching publications through; offsets jump', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('prices', { tagsFilter: OVER_TEN });
    await publishPrices(server, 1, 11, 10.5, 12);
    const received = await subscription.receives(2);
    expect(received.map(({ offset, data }) => [offset, data])).toEqual([
      [2, 11],
      [4, 12],
    ]);
  });

  it('takes nested filters', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const tagsFilter: FilterNode = {
      op: 'and',
      nodes: [
        { key: 'price', cmp: 'in', vals: ['1', '2', '3', '4'] },
        { op: 'not', nodes: [{ key: 'price', cmp: 'eq', val: '2' }] },
        {
          op: 'or',
          nodes: [
            { key: 'price', cmp: 'lte', val: '2' },
            { key: 'price', cmp: 'sw', val: '4' },
          ],
        },
      ],
    };
    const subscription = await client.subscribed('prices', { tagsFilter });
    await publishPrices(server, 0, 1, 2, 3, 4, 5);
    expect((await subscription.receives(2)).map(({ data }) => data)).toEqual([1, 4]);
  });

  it('holds for recovered publications too, and filtered ones are no gap', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('prices', { tagsFilter: OVER_TEN });
    await publishPrices(server, 1, 11, 2);
    await subscription.receives(1);
    await server.cutWhile(client, () => publishPrices(server, 3, 12, 4, 13, 5));
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: true });
    await publishPrices(server, 6, 14);
    const received = await subscription.receives(4);
    expect(received.map(({ data }) => data)).toEqual([11, 12, 13, 14]);
    expect(subscription.events.all('subscribing')).toHaveLength(1 + 1); // no further loss of continuity
  });

  it('may be another one after the next subscribe', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('prices', { tagsFilter: OVER_TEN });
    subscription.centrifuge.unsubscribe();
    subscription.centrifuge.setTagsFilter({ key: 'price', cmp: 'lt', val: '5' });
    subscription.centrifuge.subscribe();
    await subscription.events.next('subscribed');
    await publishPrices(server, 20, 1);
    expect((await subscription.receives(1)).map(({ data }) => data)).toEqual([1]);
  });

  it.for<[string, FilterNode]>([
    ['an unknown comparison', { key: 'a', cmp: 'like' as 'eq', val: 'b' }],
    ['a comparison without value', { key: 'a', cmp: 'eq' }],
    ['an operation without nodes', { op: 'and' }],
  ])('that is %s ends the subscription with 107', async ([_name, tagsFilter], test) => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = client.subscribe('prices', { tagsFilter });
    expect(await subscription.events.next('unsubscribed')).toMatchObject({ code: 107 });
  });

  it('ends the subscription with 107 where the hook does not grant filters', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = client.subscribe('prices', { tagsFilter: OVER_TEN });
    expect(await subscription.events.next('unsubscribed')).toMatchObject({ code: 107 });
    expect(server.node.stats().subscriptions).toBe(0);
  });
});
