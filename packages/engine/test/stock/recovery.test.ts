import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { STOCK, toPayload } from './stock-clients.ts';
import { serve } from './stock-server.ts';

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe.concurrent.each(STOCK)('recovery, $name', stock => {
  it('brings what was missed while the socket was lost, in order and none twice', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    await server.publishRange('news', 1, 3);
    await subscription.receives(3);
    await server.cutWhile(client, () => server.publishRange('news', 4, 8));
    expect(await client.events.next('connecting')).toMatchObject({ code: 1, reason: 'transport closed' });
    expect(await subscription.events.next('subscribed')).toMatchObject({
      wasRecovering: true,
      recovered: true,
      hasRecoveredPublications: true,
    });
    await server.publishRange('news', 9, 10);
    const received = await subscription.receives(10);
    expect(received.map(({ offset, data }) => [offset, data])).toEqual(range(1, 10).map(n => [n, n]));
  });

  it('says recovered when nothing was missed', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    await server.publish('news', 1);
    await subscription.receives(1);
    for (let round = 0; round < 2; round++) {
      server.cut(client);
      await client.events.next('connected');
      expect(await subscription.events.next('subscribed')).toMatchObject({
        wasRecovering: true,
        recovered: true,
        hasRecoveredPublications: false,
      });
    }
    expect(subscription.received).toHaveLength(1);
  });

  it('brings a thousand missed publications', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    await server.cutWhile(client, () => server.publishRange('news', 1, 1000));
    expect((await subscription.receives(1000)).map(({ data }) => data)).toEqual(range(1, 1000));
    expect(subscription.events.all('subscribed').at(-1)).toMatchObject({ recovered: true });
  });

  it('keeps info and tags of what it brings', async test => {
    const server = await serve(test, stock, {
      policy: {
        connect: ({ token }) => ({ user: token, info: Buffer.from('{"n":1}') }),
        publish: (_client, event, forward) => forward(event, { tags: new Map([['a', 'b']]) }),
      },
    });
    const ann = await server.connected({ token: 'ann' });
    const bob = await server.connected({ token: 'bob' });
    const subscription = await bob.subscribed('news');
    await server.cutWhile(bob, () => ann.centrifuge.publish('news', toPayload(stock, 'hello')));
    expect(await subscription.receives(1)).toEqual([
      {
        offset: 1,
        data: 'hello',
        info: { user: 'ann', client: ann.id, connInfo: { n: 1 }, chanInfo: undefined },
        tags: { a: 'b' },
      },
    ]);
  });

  it.for([
    ['fast', false],
    ['slow', true],
  ] as const)(
    'with %s reads loses and repeats nothing while three clients publish and the socket is lost again and again',
    async ([_name, slowReads], test) => {
      // Each byte from and to a browser takes a way that is many times longer.
      const each = stock.transport === 'webtransport' ? 40 : 100;
      const server = await serve(test, stock, { slowReads });
      const reader = await server.connected();
      const subscription = await reader.subscribed('news');
      const writers = await Promise.all([1, 2, 3].map(() => server.connected()));
      const write = async (writer: number): Promise<void> => {
        const { centrifuge } = writers[writer] ?? reader;
        for (const n of range(1, each)) await centrifuge.publish('news', toPayload(stock, [writer, n]));
      };
      const writing = Promise.all([0, 1, 2].map(write));
      for (const part of [0.3, 0.8, 1.4, 2, 2.5]) {
        await subscription.receives(part * each);
        const before = subscription.events.all('subscribed').length;
        server.cut(reader);
        await subscription.events.atLeast(before + 1, 'subscribed');
      }
      await writing;
      const received = await subscription.receives(3 * each);
      expect(received.map(({ offset }) => offset)).toEqual(range(1, 3 * each));
      const recoveries = subscription.events.all('subscribed').slice(1);
      expect(recoveries).toHaveLength(5);
      expect(recoveries.every(({ recovered }) => recovered)).toBe(true);
      // One writer's publications stay in its order.
      for (const writer of [0, 1, 2]) {
        const own = received.map(({ data }) => data as [number, number]).filter(([by]) => by === writer);
        expect(own.map(([, n]) => n)).toEqual(range(1, each));
      }
    },
  );

  it('delivers what is published during the first subscribe, in order and none twice', async test => {
    const server = await serve(test, stock, { slowReads: true });
    const client = await server.connected();
    const subscription = client.subscribe('news');
    await eventually('the subscribe is under way', () => server.node.stats().subscriptions === 1);
    for (const n of range(1, 50)) {
      await server.publish('news', n);
      await new Promise(resolve => setImmediate(resolve));
    }
    const { streamPosition } = await subscription.events.next('subscribed');
    const first = (streamPosition?.offset ?? 0) + 1;
    expect(first).toBeLessThan(50); // something arrived between the read and the reply
    const received = await subscription.receives(51 - first);
    expect(received.map(({ offset, data }) => [offset, data])).toEqual(range(first, 50).map(n => [n, n]));
  });

  it('says not recovered when more was missed than is retained, and goes on from the top', async test => {
    const server = await serve(test, stock, {
      policy: { streamOptions: () => ({ size: 5, ttlMs: 60_000 }) },
    });
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    await server.publish('news', 1);
    await subscription.receives(1);
    await server.cutWhile(client, () => server.publishRange('news', 2, 10));
    await subscription.events.next('subscribed');
    expect(subscription.events.all('subscribed').at(-1)).toMatchObject({
      wasRecovering: true,
      recovered: false,
      streamPosition: { offset: 10 },
    });
    await server.publish('news', 11);
    expect((await subscription.receives(2)).map(({ data }) => data)).toEqual([1, 11]);
  });

  it('says not recovered when the stream began anew while the client was away', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    await server.publish('news', 'old');
    await subscription.receives(1);
    await server.cutWhile(client, async () => {
      await server.node.removeStream('news');
      await server.publish('news', 'lost');
    });
    expect(await subscription.events.next('subscribed')).toMatchObject({
      wasRecovering: true,
      recovered: false,
      streamPosition: await server.position('news'),
    });
    await server.publish('news', 'new');
    expect((await subscription.receives(2)).map(({ data }) => data)).toEqual(['old', 'new']);
  });

  it('notices a stream that starts again under a live subscription: 2500, then not recovered', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    await server.publish('news', 'old');
    await subscription.receives(1);
    await server.node.removeStream('news');
    await server.publish('news', 'lost');
    expect(await subscription.events.next('subscribing')).toMatchObject({
      code: 2500,
      reason: 'insufficient state',
    });
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: false });
    await server.publish('news', 'new');
    expect((await subscription.receives(2)).map(({ data }) => data)).toEqual(['old', 'new']);
    expect(client.events.all('connecting')).toHaveLength(1);
  });

  it('finds by the position check what no later publication reveals, and recovers it', async test => {
    const server = await serve(test, stock, {
      limits: { presenceMs: 300, positionCheckMs: 100, positionRecheckMs: 100 },
    });
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    server.dropDeliveries = true;
    await server.publish('news', 'dropped on the way');
    server.dropDeliveries = false;
    expect(await subscription.events.next('subscribing')).toMatchObject({ code: 2500 });
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: true });
    expect((await subscription.receives(1)).map(({ data }) => data)).toEqual(['dropped on the way']);
  });

  it('starts where the application says with since', async test => {
    const server = await serve(test, stock);
    await server.publishRange('news', 1, 10);
    const { epoch } = await server.position('news');
    const client = await server.connected();
    const subscription = await client.subscribed('news', { since: { offset: 7, epoch } });
    expect(subscription.events.all('subscribed')).toMatchObject([{ wasRecovering: true, recovered: true }]);
    await server.publish('news', 11);
    expect((await subscription.receives(4)).map(({ data }) => data)).toEqual([8, 9, 10, 11]);
  });

  it('starts from the beginning with since offset 0', async test => {
    const server = await serve(test, stock);
    await server.publishRange('news', 1, 4);
    const { epoch } = await server.position('news');
    const client = await server.connected();
    const subscription = await client.subscribed('news', { since: { offset: 0, epoch } });
    expect((await subscription.receives(4)).map(({ data }) => data)).toEqual([1, 2, 3, 4]);
  });

  it.for([
    ['a foreign epoch', 'other', 7],
    ['an offset of the future', '', 99],
  ] as const)('does not recover from since with %s', async ([_name, epoch, offset], test) => {
    const server = await serve(test, stock);
    await server.publishRange('news', 1, 10);
    const client = await server.connected();
    const subscription = await client.subscribed('news', { since: { offset, epoch } });
    expect(subscription.events.all('subscribed')).toMatchObject([{ wasRecovering: true, recovered: false }]);
    expect(subscription.received).toEqual([]);
  });

  it('loads the state of the application first with getState, then follows from its position', async test => {
    const server = await serve(test, stock);
    await server.publishRange('news', 1, 5);
    const client = await server.connected();
    let loads = 0;
    const subscription = await client.subscribed('news', {
      getState: async () => {
        loads++;
        const position = await server.position('news');
        await server.publish('news', 6); // between the load and the subscribe
        return position;
      },
    });
    expect(subscription.events.all('subscribed')).toMatchObject([{ recovered: true }]);
    expect((await subscription.receives(1)).map(({ data }) => data)).toEqual([6]);
    await server.cutWhile(client, () => server.publish('news', 7));
    expect((await subscription.receives(2)).map(({ data }) => data)).toEqual([6, 7]);
    expect(loads).toBe(1); // what recovers needs no new state
  });

  it('rejects with 112 what cannot recover, so that getState loads anew', async test => {
    const server = await serve(test, stock);
    await server.publish('news', 1);
    const client = await server.connected();
    let loads = 0;
    const subscription = await client.subscribed('news', {
      getState: async () => (++loads === 1 ? { offset: 1, epoch: 'stale' } : server.position('news')),
    });
    expect(loads).toBe(2);
    expect(subscription.events.all('subscribed')).toMatchObject([{ recovered: true }]);
    await server.cutWhile(client, async () => {
      await server.node.removeStream('news');
      await server.publish('news', 'lost');
    });
    await subscription.events.next('subscribed');
    expect(loads).toBe(3);
    expect(server.node.subscriberCount('news')).toBe(1);
  });

  it('rejects a position without recovery of the channel by no error, as there is nothing to recover', async test => {
    const server = await serve(test, stock, { policy: { subscribe: () => ({}) } });
    const client = await server.connected();
    const subscription = await client.subscribed('news', { since: { offset: 3, epoch: 'any' } });
    expect(subscription.events.all('subscribed')).toMatchObject([
      { wasRecovering: false, recovered: false, recoverable: false },
    ]);
  });

  it('goes on with a fresh stream after the server was replaced', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    await server.publishRange('news', 1, 3);
    await subscription.receives(3);
    const successor = await serve(test, stock);
    await successor.publishRange('news', 100, 104);
    server.redirectTo(successor);
    server.cut(client);
    await client.events.next('connected');
    expect(await subscription.events.next('subscribed')).toMatchObject({
      wasRecovering: true,
      recovered: false,
      streamPosition: await successor.position('news'),
    });
    await successor.publish('news', 'from the successor');
    expect((await subscription.receives(4)).at(-1)).toMatchObject({ data: 'from the successor', offset: 6 });
    expect(server.node.stats().connections).toBe(0);
    client.centrifuge.disconnect();
    await eventually('the successor forgot the client', () => successor.node.stats().connections === 0);
  });
});

describe.concurrent.each(STOCK)('recovery of the latest value, $name', stock => {
  const policy = { subscribe: () => ({ recovery: 'cache' as const }) };

  it('brings only the newest of what was missed', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('price');
    await server.cutWhile(client, () => server.publishRange('price', 1, 5));
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: true });
    expect((await subscription.receives(1)).map(({ offset, data }) => [offset, data])).toEqual([[5, 5]]);
    await server.publish('price', 6);
    expect((await subscription.receives(2)).map(({ data }) => data)).toEqual([5, 6]);
  });

  it('brings nothing to a client that has the newest', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('price');
    await server.publish('price', 1);
    await subscription.receives(1);
    server.cut(client);
    await client.events.next('connected');
    expect(await subscription.events.next('subscribed')).toMatchObject({
      recovered: true,
      hasRecoveredPublications: false,
    });
  });

  it('recovers from any epoch, as the newest value is all there is to know', async test => {
    const server = await serve(test, stock, { policy });
    await server.publish('price', 1);
    const client = await server.connected();
    const subscription = await client.subscribed('price', { since: { offset: 1, epoch: 'other' } });
    expect(subscription.events.all('subscribed')).toMatchObject([{ recovered: true }]);
    expect((await subscription.receives(1)).map(({ data }) => data)).toEqual([1]);
  });

  it('brings the newest to a first subscribe where the server wants that', async test => {
    const server = await serve(test, stock, {
      policy: { subscribe: () => ({ recovery: 'cache', autoCacheRecovery: true }) },
    });
    await server.publishRange('price', 1, 3);
    const client = await server.connected();
    const subscription = await client.subscribed('price');
    expect(subscription.events.all('subscribed')).toMatchObject([{ wasRecovering: true, recovered: true }]);
    expect((await subscription.receives(1)).map(({ data }) => data)).toEqual([3]);
  });
});
