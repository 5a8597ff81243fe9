import type { SubscribeDecision } from '@msg/engine';
import { describe, expect, it } from 'vitest';
import { fromPayload, STOCK, toPayload } from './stock-clients.ts';
import { serve } from './stock-server.ts';

const STREAM: SubscribeDecision = { recovery: 'stream' };

/** A policy that grants everybody these channels at connect; a test may change the map later. */
const granting = (subscriptions: Map<string, SubscribeDecision>) => ({
  connect: () => ({ user: 'ann', subscriptions: new Map(subscriptions) }),
});

describe.concurrent.each(STOCK)('server-side subscriptions, $name', stock => {
  it('are there at connect and deliver publications', async test => {
    const data = Buffer.from('{"topic":"all"}');
    const policy = granting(
      new Map([
        ['news', { ...STREAM, data }],
        ['plain', {}],
      ]),
    );
    const server = await serve(test, stock, { policy });
    await server.publishRange('news', 1, 3);
    const client = await server.connected();
    const contexts = await client.events.atLeast(2, 'subscribed');
    expect(contexts).toMatchObject([
      { channel: 'news', recoverable: true, positioned: true, streamPosition: await server.position('news') },
      { channel: 'plain', recoverable: false, positioned: false },
    ]);
    expect(fromPayload(stock, contexts[0]?.data)).toEqual({ topic: 'all' });
    await server.publish('news', 4);
    await server.publish('plain', 'x');
    await client.events.atLeast(2, 'publication');
    expect(client.received).toMatchObject([
      { offset: 4, data: 4 },
      { offset: 1, data: 'x' },
    ]);
  });

  it('recover after a lost socket, in order and none twice', async test => {
    const server = await serve(test, stock, { policy: granting(new Map([['news', STREAM]])) });
    const client = await server.connected();
    await server.publishRange('news', 1, 2);
    await client.events.atLeast(2, 'publication');
    await server.cutWhile(client, () => server.publishRange('news', 3, 6));
    await client.events.next('connected');
    const [, again] = await client.events.atLeast(2, 'subscribed');
    expect(again).toMatchObject({ channel: 'news', wasRecovering: true, recovered: true });
    await server.publish('news', 7);
    await client.events.atLeast(7, 'publication');
    expect(client.received.map(({ data }) => data)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('say not recovered when the stream began anew', async test => {
    const server = await serve(test, stock, { policy: granting(new Map([['news', STREAM]])) });
    const client = await server.connected();
    await server.cutWhile(client, async () => {
      await server.node.removeStream('news');
      await server.publish('news', 'lost');
    });
    await client.events.next('connected');
    const [, again] = await client.events.atLeast(2, 'subscribed');
    expect(again).toMatchObject({ wasRecovering: true, recovered: false });
    await server.publish('news', 'new');
    await client.events.next('publication');
    expect(client.received).toMatchObject([{ data: 'new', offset: 2 }]);
  });

  it('end the connection with 3010 when continuity is lost; the client returns and recovers what it can', async test => {
    const server = await serve(test, stock, { policy: granting(new Map([['news', STREAM]])) });
    const client = await server.connected();
    await server.node.removeStream('news');
    await server.publish('news', 'lost');
    expect(await client.events.next('connecting')).toEqual({ code: 3010, reason: 'insufficient state' });
    const [, again] = await client.events.atLeast(2, 'subscribed');
    expect(again).toMatchObject({ wasRecovering: true, recovered: false });
  });

  it('are added and removed while the client is connected', async test => {
    const server = await serve(test, stock, { policy: { connect: () => ({ user: 'ann' }) } });
    const client = await server.connected();
    await server.publish('news', 'before');
    await server.node.subscribe({ user: 'ann' }, 'news', { ...STREAM, data: Buffer.from('"hi"') });
    const added = await client.events.next('subscribed');
    expect(added).toMatchObject({ channel: 'news', recoverable: true, positioned: true });
    expect(added.streamPosition).toEqual(await server.position('news'));
    expect(fromPayload(stock, added.data)).toBe('hi');
    await server.publish('news', 'during');
    await client.events.next('publication');
    await server.node.unsubscribe({ user: 'ann' }, 'news', { code: 2000, reason: 'server unsubscribe' });
    expect(await client.events.next('unsubscribed')).toEqual({ channel: 'news' });
    await server.publish('news', 'after');
    await client.centrifuge.rpc('echo', toPayload(stock, 1));
    expect(client.received.map(({ data }) => data)).toEqual(['during']);
  });

  it('added from a position bring what was published since', async test => {
    const server = await serve(test, stock, { policy: { connect: () => ({ user: 'ann' }) } });
    await server.publishRange('news', 1, 5);
    const since = { ...(await server.position('news')), offset: 2 };
    const client = await server.connected();
    await server.node.subscribe({ client: client.id }, 'news', STREAM, since);
    await server.publish('news', 6);
    await client.events.atLeast(4, 'publication');
    expect(client.received.map(({ data }) => data)).toEqual([3, 4, 5, 6]);
    server.cut(client); // the policy does not grant it at connect
    await client.events.next('connected');
    expect(await client.events.next('unsubscribed')).toEqual({ channel: 'news' });
  });

  it('that are not granted any more after a reconnect are reported as unsubscribed', async test => {
    const granted = new Map([
      ['kept', STREAM],
      ['dropped', STREAM],
    ]);
    const server = await serve(test, stock, { policy: granting(granted) });
    const client = await server.connected();
    granted.delete('dropped');
    server.cut(client);
    expect(await client.events.next('unsubscribed')).toEqual({ channel: 'dropped' });
    expect(server.peer(client).channels()).toEqual(['kept']);
  });

  it('are refused to the embedder with 105 where the client is subscribed, and to the client likewise', async test => {
    const server = await serve(test, stock, { policy: granting(new Map([['mine', STREAM]])) });
    const client = await server.connected();
    await client.subscribed('chosen');
    const again = server.node.subscribe({ user: 'ann' }, 'chosen', STREAM);
    await expect(again).rejects.toMatchObject({ code: 105 });
    const own = client.subscribe('mine');
    expect(await own.events.next('unsubscribed')).toMatchObject({ code: 105, reason: 'already subscribed' });
    client.centrifuge.removeSubscription(own.centrifuge); // 5.7 would hand it what follows
    await server.publish('mine', 'still there');
    await client.events.next('publication');
  });

  it('announce joins and leaves', async test => {
    const announced = { emitJoinLeave: true, pushJoinLeave: true, emitPresence: true };
    const server = await serve(test, stock, {
      policy: { connect: ({ token }) => ({ user: token, subscriptions: new Map([['room', announced]]) }) },
    });
    const ann = await server.connected({ token: 'ann' });
    const bob = await server.connected({ token: 'bob' });
    await ann.events.atLeast(2, 'join');
    bob.centrifuge.disconnect();
    await ann.events.next('leave');
    expect(ann.events.all('join').map(({ info }) => info.user)).toEqual(['ann', 'bob']);
    expect(ann.events.all('leave').map(({ info }) => [info.user, info.client])).toEqual([['bob', bob.id]]);
    expect(await ann.centrifuge.presenceStats('room')).toMatchObject({ numClients: 1 });
  });

  it('beyond the channel limit end the connection for good with 3505, at connect and later', async test => {
    const many = Array.from({ length: 4 }, (_, i): [string, SubscribeDecision] => [`c${i}`, {}]);
    const server = await serve(test, stock, {
      limits: { channelsPerClient: 3 },
      policy: {
        connect: ({ token }) => ({ user: token, subscriptions: new Map(token === 'greedy' ? many : []) }),
      },
    });
    const limit = { code: 3505, reason: 'channel limit' };
    const greedy = server.client({ token: 'greedy' });
    greedy.centrifuge.connect();
    expect(await greedy.events.next('disconnected')).toEqual(limit);
    const modest = await server.connected({ token: 'modest' });
    for (const [channel] of many) await server.node.subscribe({ user: 'modest' }, channel, {});
    expect(await modest.events.next('disconnected')).toEqual(limit);
  });

  it('stay beside subscriptions of the client', async test => {
    const server = await serve(test, stock, { policy: granting(new Map([['mine', STREAM]])) });
    const client = await server.connected();
    const chosen = await client.subscribed('chosen');
    await server.publish('mine', 'a');
    await server.publish('chosen', 'b');
    expect((await chosen.receives(1)).map(({ data }) => data)).toEqual(['b']);
    await client.events.next('publication');
    expect(client.received.map(({ data }) => data)).toEqual(['a']);
    expect(server.peer(client).channels().sort()).toEqual(['chosen', 'mine']);
  });
});
