import type { SubscribeEvent } from '@msg/engine';
import { describe, expect, it } from 'vitest';
import { fromPayload, STOCK, toPayload } from './stock-clients.ts';
import { serve } from './stock-server.ts';
import { WireTap } from './wire-tap.ts';

describe.concurrent.each(STOCK)('subscribe, $name', stock => {
  it('shows the hook channel, token, data and wishes, and the client position and data', async test => {
    const seen: SubscribeEvent[] = [];
    const server = await serve(test, stock, {
      policy: {
        subscribe: (_client, event) => {
          seen.push(event);
          return { recovery: 'stream', data: Buffer.from('{"topic":"ü"}') };
        },
      },
    });
    await server.publish('news', 1);
    const client = await server.connected();
    const subscription = await client.subscribed('news', {
      token: 'secret',
      data: toPayload(stock, { since: 'monday' }),
      positioned: true,
      recoverable: true,
      joinLeave: true,
    });
    expect(seen).toMatchObject([
      { channel: 'news', token: 'secret', positioned: true, recoverable: true, joinLeave: true },
    ]);
    expect(JSON.parse(Buffer.from(seen[0]?.data ?? []).toString())).toEqual({ since: 'monday' });
    const [context] = subscription.events.all('subscribed');
    expect(context).toMatchObject({
      channel: 'news',
      recoverable: true,
      positioned: true,
      wasRecovering: false,
      recovered: false,
      streamPosition: await server.position('news'),
    });
    expect(fromPayload(stock, context?.data)).toEqual({ topic: 'ü' });
  });

  it('grants neither position nor recovery unless the hook does', async test => {
    const server = await serve(test, stock, { policy: { subscribe: () => ({}) } });
    const client = await server.connected();
    const subscription = await client.subscribed('news', { positioned: true, recoverable: true });
    const [context] = subscription.events.all('subscribed');
    expect(context).toMatchObject({ recoverable: false, positioned: false });
    expect(context?.streamPosition).toBeUndefined();
  });

  it('delivers nothing after unsubscribe, and everything after the next subscribe', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    await server.publish('news', 'heard');
    await subscription.receives(1);
    subscription.centrifuge.unsubscribe();
    expect(await subscription.events.next('unsubscribed')).toEqual({
      channel: 'news',
      code: 0,
      reason: 'unsubscribe called',
    });
    await client.centrifuge.rpc('echo', null); // executed after the unsubscribe
    expect(server.node.subscriberCount('news')).toBe(0);
    await server.publish('news', 'missed, and recovered by the next subscribe');
    await client.centrifuge.rpc('echo', null);
    expect(subscription.received).toHaveLength(1);
    subscription.centrifuge.subscribe();
    await subscription.events.next('subscribed');
    await server.publish('news', 'again');
    expect((await subscription.receives(3)).map(({ offset }) => offset)).toEqual([1, 2, 3]);
  });

  it('survives an application that subscribes and unsubscribes without waiting', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = client.subscribe('news');
    for (let round = 0; round < 50; round++) {
      subscription.centrifuge.unsubscribe();
      subscription.centrifuge.subscribe();
    }
    await subscription.centrifuge.ready(60_000);
    await client.centrifuge.rpc('echo', null);
    await subscription.centrifuge.ready(60_000);
    expect(server.node.subscriberCount('news')).toBe(1);
    const before = subscription.received.length;
    await server.publish('news', 'once');
    expect((await subscription.receives(before + 1)).at(-1)?.data).toBe('once');
  });

  it('grants 128 of two hundred channels and refuses the others with 106', async test => {
    const server = await serve(test, stock);
    const client = server.client();
    const subscriptions = Array.from({ length: 200 }, (_, i) => client.subscribe(`room-${i}`));
    client.centrifuge.connect();
    await Promise.all(
      subscriptions.map(({ events }) =>
        events.until('an answer', () => ['subscribed', 'unsubscribed'].includes(String(events.names.at(-1)))),
      ),
    );
    const refused = subscriptions.flatMap(({ events }) => events.all('unsubscribed'));
    expect(refused).toHaveLength(72);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set([106]));
    expect(server.peer(client).channels()).toHaveLength(128);
  });

  it('addresses the pushes of JSON clients by number where the hook grants compaction', async test => {
    const server = await serve(test, stock, {
      policy: {
        subscribe: (_client, { channel }) => ({
          recovery: 'stream',
          compaction: channel === 'compact',
          emitJoinLeave: true,
          pushJoinLeave: true,
        }),
      },
    });
    const tap = new WireTap(stock);
    const client = await server.connected({ ...tap.options });
    for (const channel of ['compact', 'plain']) {
      const subscription = await client.subscribed(channel, { joinLeave: true });
      await server.publish(channel, channel);
      expect((await subscription.receives(1))[0]?.data).toBe(channel);
      await subscription.events.next('join');
      server.peer(client).unsubscribe(channel, 2000, 'server unsubscribe');
      await subscription.events.next('unsubscribed');
    }
    const [compact, plain] = tap.replies.flatMap(({ subscribe }) => subscribe ?? []);
    const addresses = tap.replies.flatMap(({ push }) => push ?? []).map(({ id, channel }) => id || channel);
    // The Protobuf builds ask for compaction, but compare the numbers as Long objects, by identity: they would
    // drop every push.
    const byNumber = stock.encoding === 'json' ? compact?.id : 'compact';
    if (stock.encoding === 'json') expect(compact?.id).toBeGreaterThan(0);
    expect(plain?.id).toBe(0);
    // Join and publication, then the unsubscribe, which is always by name.
    expect(addresses).toEqual([byNumber, byNumber, 'compact', 'plain', 'plain', 'plain']);
  });

  it.for(['js', 'an application name'])(
    'keeps thirty channels apart for a client called %s',
    async (name, test) => {
      const server = await serve(test, stock, {
        policy: { subscribe: () => ({ recovery: 'stream', compaction: true }) },
      });
      const client = await server.connected({ name });
      const rooms = await Promise.all(Array.from({ length: 30 }, (_, i) => client.subscribed(`room-${i}`)));
      await Promise.all(
        rooms.map(({ centrifuge }) => server.publish(centrifuge.channel, centrifuge.channel)),
      );
      for (const room of rooms) {
        expect((await room.receives(1)).map(({ data }) => data)).toEqual([room.centrifuge.channel]);
      }
    },
  );
});
