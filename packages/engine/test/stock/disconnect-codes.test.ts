import { DISCONNECT_CODES } from '@msg/protocol';
import { describe, expect, it, vi } from 'vitest';
import { tokens } from './expiring.ts';
import { STOCK, toPayload } from './stock-clients.ts';
import { serve } from './stock-server.ts';

// Cases wait, most of the time.
vi.setConfig({ maxConcurrency: 14 });

const RECONNECT: readonly [code: number, reason: string][] = [
  [3001, 'shutdown'],
  [3004, 'internal server error'],
  [3005, 'connection expired'],
  [3006, 'subscription expired'],
  [3008, 'slow'],
  [3009, 'write error'],
  [3010, 'insufficient state'],
  [3011, 'force reconnect'],
  [3012, 'no pong'],
  [3013, 'too many requests'],
  [3014, 'state invalidated'],
  [3499, 'last of the protocol that reconnects'],
  [4000, 'first of the application that reconnects'],
  [4499, 'last of the application that reconnects'],
];

const TERMINAL: readonly [code: number, reason: string][] = [
  [3500, 'invalid token'],
  [3501, 'bad request'],
  [3502, 'stale'],
  [3503, 'force disconnect'],
  [3504, 'connection limit'],
  [3505, 'channel limit'],
  [3506, 'inappropriate protocol'],
  [3507, 'permission denied'],
  [3508, 'not available'],
  [3509, 'too many errors'],
  [3999, 'last of the protocol that is final'],
  [4500, 'first of the application that is final'],
  [4999, 'last of the application that is final'],
];

const OWN_CODES = [3499, 3999];

it('the tables name every disconnect code of the protocol that is sent', () => {
  const listed = [...RECONNECT, ...TERMINAL].map(([code]) => code);
  const protocol = listed.filter(code => code < 4000 && !OWN_CODES.includes(code));
  expect(protocol).toEqual(DISCONNECT_CODES.filter(({ sent }) => sent).map(({ code }) => code));
});

describe.concurrent.each(STOCK)('disconnect codes, $name', stock => {
  it.for(RECONNECT)('after %d %s the client returns and recovers', async ([code, reason], test) => {
    const server = await serve(test, stock, { policy: { connect: () => ({ user: 'ann' }) } });
    const client = await server.connected({ getToken: tokens('t') });
    const subscription = await client.subscribed('news');
    await server.publish('news', 1);
    await subscription.receives(1);
    await server.node.disconnect({ user: 'ann' }, { code, reason });
    await server.publish('news', 2);
    expect(await client.events.next('connecting')).toEqual({ code, reason });
    await client.events.next('connected');
    expect(await subscription.events.next('subscribed')).toMatchObject({
      wasRecovering: true,
      recovered: code !== 3014, // its positions are worthless
    });
    await server.publish('news', 3);
    const expected = code === 3014 ? [1, 3] : [1, 2, 3];
    expect((await subscription.receives(expected.length)).map(({ data }) => data)).toEqual(expected);
  });

  it.for(TERMINAL)('after %d %s the client stays away', async ([code, reason], test) => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('news');
    server.peer(client).disconnect(code, reason);
    expect(await client.events.next('disconnected')).toEqual({ code, reason });
    expect(client.centrifuge.state).toBe('disconnected');
    expect(subscription.centrifuge.state).toBe('subscribing'); // until the application connects again
    expect(client.events.all('connecting')).toHaveLength(1);
    client.centrifuge.connect();
    await client.events.next('connected');
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: true });
  });

  it.for([
    ['is not there', ''],
    ['is a JSON number', '123'],
    ['is a JSON literal', 'true'],
    ['is JSON null', 'null'],
    ['is a JSON string', '"text"'],
    ['is a JSON object', '{"reconnect":true}'],
  ] as const)('a reason that %s does not change what the code means', async ([_name, reason], test) => {
    const server = await serve(test, stock);
    const away = await server.connected();
    server.peer(away).disconnect(4500, reason);
    expect(await away.events.next('disconnected')).toMatchObject({ code: 4500 });
    const back = await server.connected();
    server.peer(back).disconnect(4000, reason);
    expect(await back.events.next('connecting')).toMatchObject({ code: 4000 });
    await back.events.next('connected');
  });

  it('a long reason arrives, over WebSocket shortened to 123 bytes at a character boundary', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    server.peer(client).disconnect(4500, `x${'ü'.repeat(100)}`);
    const kept = stock.transport === 'websocket' ? 61 : 100;
    expect(await client.events.next('disconnected')).toEqual({ code: 4500, reason: `x${'ü'.repeat(kept)}` });
  });

  it.for([0, 1005, 5000])(
    'code %d, which no close frame can carry, ends the connection or is refused, but leaves no half of it',
    async (code, test) => {
      const server = await serve(test, stock);
      const client = await server.connected();
      await client.subscribed('news');
      let refused = false;
      try {
        server.peer(client).disconnect(code, 'odd');
      } catch (error) {
        refused = error instanceof RangeError;
      }
      if (refused) await client.centrifuge.rpc('echo', toPayload(stock, 'still served'));
      else await client.events.until('end', () => client.events.names.length > 2);
    },
  );

  it('a disconnect reaches the connections that it names and no other', async test => {
    const server = await serve(test, stock, { policy: { connect: ({ token }) => ({ user: token }) } });
    const names = ['ann', 'ann', 'bob', ''];
    const clients = await Promise.all(names.map(token => server.connected({ token })));
    const [first, second, bob, nobody] = clients;
    await server.node.disconnect({ user: 'ann' }, { code: 4500, reason: 'out' }, [second?.id ?? '']);
    await first?.events.next('disconnected');
    await server.node.disconnect({ client: bob?.id ?? '' }, { code: 4500, reason: 'out' });
    await bob?.events.next('disconnected');
    expect([second, nobody].map(client => client?.centrifuge.state)).toEqual(['connected', 'connected']);
    await server.node.disconnect({ allUsers: true }, { code: 4500, reason: 'all out' });
    for (const client of [second, nobody]) {
      expect(await client?.events.next('disconnected')).toEqual({ code: 4500, reason: 'all out' });
    }
  });
});

describe.concurrent.each(STOCK)('state invalidated by 3014, $name', stock => {
  it('makes the client fetch tokens anew and give up its positions, also of server-side subscriptions', async test => {
    const seen: string[] = [];
    const server = await serve(test, stock, {
      policy: {
        connect: ({ token }) => {
          seen.push(token);
          return { user: '', subscriptions: new Map([['mine', { recovery: 'stream' }]]) };
        },
        subscribe: (_client, { token }) => {
          seen.push(token);
          return { recovery: 'stream' };
        },
      },
    });
    const client = await server.connected({ token: 'c-0', getToken: tokens('c') });
    const subscription = await client.subscribed('news', { token: 's-0', getToken: tokens('s') });
    await server.publish('news', 1);
    await server.publish('mine', 1);
    await subscription.receives(1);
    await client.events.next('publication');
    server.peer(client).disconnect(3014, 'state invalidated');
    expect(await subscription.events.next('subscribed')).toMatchObject({
      wasRecovering: true,
      recovered: false,
      streamPosition: await server.position('news'),
    });
    const [, mine] = await client.events.atLeast(2, 'subscribed');
    expect(mine).toMatchObject({ channel: 'mine', wasRecovering: true, recovered: false });
    expect(seen).toEqual(['c-0', 's-0', 'c-1', 's-1']);
    await server.publish('news', 2);
    await server.publish('mine', 2);
    await subscription.receives(2);
    await client.events.atLeast(2, 'publication');
  });
});
