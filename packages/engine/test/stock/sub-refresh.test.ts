import { type Expiry, ReplyError } from '@msg/engine';
import { describe, expect, it, vi } from 'vitest';
import { inOneSecond, inTenSeconds, tokens } from './expiring.ts';
import { STOCK } from './stock-clients.ts';
import { serve } from './stock-server.ts';
import { WireTap } from './wire-tap.ts';

// Cases wait, most of the time.
vi.setConfig({ maxConcurrency: 14 });

describe.concurrent.each(STOCK)('expiry of a subscription, $name', stock => {
  const subscribe = (): { recovery: 'stream'; expiry: Expiry } => ({
    recovery: 'stream',
    expiry: inOneSecond(),
  });

  it('shows the token to the hook and refreshes the subscription with a new one at ttl', async test => {
    const seen: string[] = [];
    const server = await serve(test, stock, {
      policy: {
        subscribe: (_client, { token }) => {
          seen.push(token);
          return subscribe();
        },
        subRefresh: (_client, { channel, token }) => {
          seen.push(`${channel} ${token}`);
          return { expiry: inTenSeconds(), state: token };
        },
      },
    });
    const tap = new WireTap(stock);
    const client = await server.connected({ ...tap.options });
    const subscription = await client.subscribed('private', { getToken: tokens('t') });
    await tap.until('a refresh', () => tap.replies.some(({ subRefresh }) => subRefresh !== null));
    expect(seen).toEqual(['t-1', 'private t-2']);
    expect(tap.replies.find(({ subRefresh }) => subRefresh !== null)?.subRefresh).toMatchObject({
      expires: true,
      ttl: 10,
    });
    expect(server.peer(client).subscriptionState('private')).toBe('t-2');
    await server.publish('private', 'still here');
    await subscription.receives(1);
    expect(subscription.events.names).toEqual(['subscribing', 'subscribed', 'publication']);
  });

  it('ends a subscription that is not refreshed with 2501 after expiry and grace; the client subscribes anew', async test => {
    let granted = 0;
    const server = await serve(test, stock, {
      limits: { expiryGraceMs: 300 },
      policy: {
        subscribe: () => (++granted === 1 ? subscribe() : { recovery: 'stream' }),
        subRefresh: () => ({ expiry: inTenSeconds() }),
      },
    });
    const client = await server.connected();
    const subscription = await client.subscribed('private', { getToken: tokens('t', 1) });
    await server.publish('private', 'before');
    expect(await subscription.events.next('subscribing')).toEqual({
      channel: 'private',
      code: 2501,
      reason: 'subscription expired',
    });
    await server.publish('private', 'meanwhile');
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: true });
    const received = await subscription.receives(2);
    expect(received.map(({ data }) => data)).toEqual(['before', 'meanwhile']);
    expect(client.events.all('connecting')).toHaveLength(1);
  });

  it('refuses an expired token with 109: the client fetches another one and subscribes', async test => {
    const seen: string[] = [];
    const server = await serve(test, stock, {
      policy: {
        subscribe: (_client, { token }) => {
          seen.push(token);
          if (token === 'old') throw new ReplyError(109, 'token expired');
          return { recovery: 'stream' };
        },
      },
    });
    const client = await server.connected();
    const subscription = await client.subscribed('private', { token: 'old', getToken: tokens('t') });
    expect(seen).toEqual(['old', 't-1']);
    expect(subscription.events.all('error')).toMatchObject([{ type: 'subscribe', error: { code: 109 } }]);
  });

  it('a refresh refused for good ends the subscription with that code, on both sides', async test => {
    const server = await serve(test, stock, {
      policy: {
        subscribe,
        subRefresh: () => {
          throw new ReplyError(103, 'permission denied');
        },
      },
    });
    const client = await server.connected();
    const subscription = await client.subscribed('private', { getToken: tokens('t') });
    expect(await subscription.events.next('unsubscribed')).toMatchObject({ code: 103 });
    await client.centrifuge.rpc('echo', null); // the unsubscribe command was executed before this one
    expect(server.peer(client).channels()).toEqual([]);
  });

  it('renews by itself, or ends with 2501, what the server manages', async test => {
    let asked = 0;
    const server = await serve(test, stock, {
      policy: {
        subscribe: () => ({ recovery: 'stream', expiry: { at: Date.now() + 200, clientRefresh: false } }),
        subRefresh: () => {
          if (++asked === 1) return { expiry: { at: Date.now() + 200, clientRefresh: false } };
          throw new ReplyError(103, 'permission denied');
        },
      },
    });
    const client = await server.connected();
    const subscription = await client.subscribed('private');
    expect(await subscription.events.next('subscribing')).toMatchObject({ code: 2501 });
    expect(asked).toBe(2);
    await subscription.events.next('subscribed');
  });

  it('ends the connection with 3006 when a server-side subscription expires; the client returns', async test => {
    let connects = 0;
    const server = await serve(test, stock, {
      policy: {
        connect: () => {
          const expiry = { at: Date.now() + 200, clientRefresh: false };
          return { user: '', subscriptions: new Map([['mine', ++connects === 1 ? { expiry } : {}]]) };
        },
      },
    });
    const client = await server.connected();
    expect(await client.events.next('connecting')).toEqual({ code: 3006, reason: 'subscription expired' });
    await client.events.next('connected');
  });
});
