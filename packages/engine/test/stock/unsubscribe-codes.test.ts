import { UNSUBSCRIBE_CODES } from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { tokens } from './expiring.ts';
import { STOCK, toPayload } from './stock-clients.ts';
import { serve } from './stock-server.ts';

const TERMINAL: readonly [code: number, reason: string][] = [
  [2000, 'server unsubscribe'],
  [2100, 'first of the application that is final'],
  [2499, 'last of the application that is final'],
];

const RESUBSCRIBE: readonly [code: number, reason: string][] = [
  [2500, 'insufficient state'],
  [2501, 'subscription expired'],
  [2502, 'state invalidated'],
  [2600, 'first of the application that resubscribes'],
  [2999, 'last of the application that resubscribes'],
];

it('the tables name every unsubscribe code of the protocol that is sent', () => {
  const listed = [...TERMINAL, ...RESUBSCRIBE].map(([code]) => code);
  const sent = UNSUBSCRIBE_CODES.filter(row => row.sent).map(({ code }) => code);
  expect(listed.filter(code => (sent as number[]).includes(code))).toEqual(sent);
});

const policy = {
  connect: () => ({ user: 'ann' }),
  subscribe: (_client: unknown, { joinLeave }: { readonly joinLeave: boolean }) => ({
    recovery: 'stream' as const,
    emitPresence: true,
    emitJoinLeave: true,
    pushJoinLeave: joinLeave,
  }),
};

describe.concurrent.each(STOCK)('unsubscribe codes, $name', stock => {
  it.for(TERMINAL)('%d %s ends the subscription', async ([code, reason], test) => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    server.peer(client).unsubscribe('news', code, reason);
    expect(await subscription.events.next('unsubscribed')).toEqual({ channel: 'news', code, reason });
    expect(server.peer(client).channels()).toEqual([]);
    await server.publish('news', 'missed');
    await client.centrifuge.rpc('echo', toPayload(stock, 1));
    expect(subscription.events.names).toEqual(['subscribing', 'subscribed', 'unsubscribed']);
    subscription.centrifuge.subscribe(); // the application may change its mind
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: true });
  });

  it.for(RESUBSCRIBE)('%d %s makes the client subscribe anew at once', async ([code, reason], test) => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    await server.publish('news', 1);
    await subscription.receives(1);
    await server.node.unsubscribe({ user: 'ann' }, 'news', { code, reason });
    await server.publish('news', 2);
    expect(await subscription.events.next('subscribing')).toEqual({ channel: 'news', code, reason });
    expect(await subscription.events.next('subscribed')).toMatchObject({
      wasRecovering: true,
      recovered: code !== 2502, // its position is worthless
      streamPosition: { offset: code === 2502 ? 2 : 1 },
    });
    await server.publish('news', 3);
    const expected = code === 2502 ? [1, 3] : [1, 2, 3];
    expect((await subscription.receives(expected.length)).map(({ data }) => data)).toEqual(expected);
    expect(subscription.events.all('error')).toEqual([]); // never 105: nothing of the old one was left
    expect(client.events.all('connecting')).toHaveLength(1);
  });

  it('2502 makes the client fetch a new token for the subscription', async test => {
    const seen: string[] = [];
    const server = await serve(test, stock, {
      policy: {
        subscribe: (_client, { token }) => {
          seen.push(token);
          return { recovery: 'stream' };
        },
      },
    });
    const client = await server.connected();
    const subscription = await client.subscribed('news', { token: 's-0', getToken: tokens('s') });
    server.peer(client).unsubscribe('news', 2502, 'state invalidated');
    await subscription.events.next('subscribed');
    expect(seen).toEqual(['s-0', 's-1']);
  });

  it('2502 on a channel of latest values brings the latest value', async test => {
    const server = await serve(test, stock, { policy: { subscribe: () => ({ recovery: 'cache' }) } });
    const client = await server.connected();
    const subscription = await client.subscribed('price');
    await server.publish('price', 1);
    await subscription.receives(1);
    server.peer(client).unsubscribe('price', 2502, 'state invalidated');
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: true });
    expect((await subscription.receives(2)).map(({ data }) => data)).toEqual([1, 1]);
  });

  it('everybody leaves a channel that is closed, those whose subscribe is under way included', async test => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const server = await serve(test, stock, {
      policy: {
        connect: ({ token }) => ({ user: token }),
        subscribe: async ({ user }: { readonly user: string }) => {
          if (user !== 'late') return {};
          asked.resolve();
          await answer.promise;
          return {};
        },
      },
    });
    const early = await Promise.all([server.connected({ token: 'a' }), server.connected({ token: 'b' })]);
    const subscriptions = await Promise.all(early.map(client => client.subscribed('closing')));
    const late = await server.connected({ token: 'late' });
    subscriptions.push(late.subscribe('closing'));
    await asked.promise;
    await server.node.unsubscribeAll('closing', { code: 2000, reason: 'server unsubscribe' });
    answer.resolve();
    for (const subscription of subscriptions) {
      expect(await subscription.events.next('unsubscribed')).toMatchObject({ code: 2000 });
    }
    expect(server.node.stats().subscriptions).toBe(0);
  });

  it('a leave is announced before the push, so that the join of the next subscribe follows it', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const observer = await server.connected();
    const seen = await observer.subscribed('news', { joinLeave: true });
    await seen.events.next('join');
    const subscription = await client.subscribed('news');
    await seen.events.next('join');
    for (let round = 0; round < 5; round++) {
      server.peer(client).unsubscribe('news', 2500, 'insufficient state');
      await subscription.events.next('subscribed');
      await seen.events.next('leave');
      await seen.events.next('join');
    }
    const order = seen.events.names.filter(name => name === 'join' || name === 'leave');
    expect(order.slice(2)).toEqual(Array.from({ length: 5 }, () => ['leave', 'join']).flat());
    expect(await client.centrifuge.presenceStats('news')).toMatchObject({ numClients: 2 });
  });
});
