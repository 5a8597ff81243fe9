import { type ConnectDecision, Disconnect, ReplyError } from '@msg/engine';
import { UnauthorizedError } from 'centrifuge';
import { UnauthorizedError as UnauthorizedErrorP } from 'centrifuge/build/protobuf';
import { UnauthorizedError as UnauthorizedError57 } from 'centrifuge-5.7.4';
import { UnauthorizedError as UnauthorizedErrorP57 } from 'centrifuge-5.7.4/build/protobuf';
import { describe, expect, it, vi } from 'vitest';
import { inOneSecond, inTenSeconds, tokens } from './expiring.ts';
import { STOCK, type Stock } from './stock-clients.ts';
import { serve } from './stock-server.ts';
import { WireTap } from './wire-tap.ts';

// Cases wait, most of the time.
vi.setConfig({ maxConcurrency: 14 });

const expiring = (): ConnectDecision => ({ user: 'ann', expiry: inOneSecond() });

function unauthorized({ version, encoding }: Stock): Error {
  if (version === '5.8.0')
    return encoding === 'json' ? new UnauthorizedError('') : new UnauthorizedErrorP('');
  return encoding === 'json' ? new UnauthorizedError57('') : new UnauthorizedErrorP57('');
}

describe.concurrent.each(STOCK)('refresh of a connection, $name', stock => {
  it('fetches a token at ttl, refreshes with it, and does so again at the new ttl; the client id stays', async test => {
    const refreshes: string[] = [];
    const server = await serve(test, stock, {
      policy: {
        connect: expiring,
        refresh: (_client, { token }) => {
          refreshes.push(token);
          return { expiry: refreshes.length < 2 ? inOneSecond() : inTenSeconds() };
        },
      },
    });
    const getToken = tokens('fresh');
    const tap = new WireTap(stock);
    const client = await server.connected({ token: 'first', getToken, ...tap.options });
    await tap.until(
      'two refreshes',
      () => tap.replies.filter(({ refresh }) => refresh !== null).length === 2,
    );
    expect(refreshes).toEqual(['fresh-1', 'fresh-2']);
    expect(getToken.count).toBe(2);
    const results = tap.replies.flatMap(({ refresh }) => refresh ?? []);
    expect(results).toMatchObject([
      { client: client.id, expires: true, ttl: 1 },
      { client: client.id, expires: true, ttl: 10 },
    ]);
    expect(client.events.names).toEqual(['connecting', 'connected']);
    await client.centrifuge.rpc('echo', null); // still the same connection
    expect(server.peer(client).user).toBe('ann');
  });

  it('ends a connection that is not refreshed with 3005 after expiry and grace; the client returns', async test => {
    const server = await serve(test, stock, {
      policy: { connect: expiring, refresh: () => ({ expiry: inOneSecond() }) },
      limits: { expiryGraceMs: 300 },
    });
    const started = Date.now();
    const client = await server.connected({ token: 'first', getToken: tokens('', 0) });
    expect(await client.events.next('connecting')).toEqual({ code: 3005, reason: 'connection expired' });
    expect(Date.now() - started).toBeGreaterThanOrEqual(1300);
    expect(client.events.all('error')).toMatchObject([{ type: 'refreshToken' }]);
    await client.events.next('connected');
  });

  it('ends a connection whose client has no way to get a token at ttl, on the client side', async test => {
    const server = await serve(test, stock, { policy: { connect: expiring } });
    const client = await server.connected({ token: 'first' });
    expect(await client.events.next('disconnected')).toEqual({ code: 1, reason: 'unauthorized' });
  });

  it('ends a connection whose client gets no further token because it is not authorized', async test => {
    const server = await serve(test, stock, { policy: { connect: expiring } });
    const client = await server.connected({
      token: 'first',
      getToken: () => Promise.reject(unauthorized(stock)),
    });
    expect(await client.events.next('disconnected')).toEqual({ code: 1, reason: 'unauthorized' });
  });

  it('does not ask the client to refresh what the server renews by itself', async test => {
    const asked: string[] = [];
    const server = await serve(test, stock, {
      policy: {
        connect: () => ({ user: '', expiry: inOneSecond(false) }),
        refresh: (_client, { token }) => {
          asked.push(token);
          return asked.length === 1
            ? { expiry: inOneSecond(false) }
            : { expiry: { ...inOneSecond(), at: 0 } };
        },
      },
    });
    const getToken = tokens('never');
    const client = await server.connected({ token: 'first', getToken });
    expect(await client.events.next('connecting')).toEqual({ code: 3005, reason: 'connection expired' });
    expect(asked).toEqual(['', '']);
    expect(getToken.count).toBe(0);
  });

  it('goes on without expiry when the hook answers none', async test => {
    const server = await serve(test, stock, {
      policy: { connect: expiring, refresh: () => ({ state: 'renewed' }) },
    });
    const tap = new WireTap(stock);
    const client = await server.connected({ getToken: tokens('t'), ...tap.options });
    await tap.until('a refresh', () => tap.replies.some(({ refresh }) => refresh !== null));
    expect(tap.replies.find(({ refresh }) => refresh !== null)?.refresh).toMatchObject({ expires: false });
    expect(server.peer(client).state).toBe('renewed');
  });

  it('moves the expiry of a connection when the embedder says so', async test => {
    const server = await serve(test, stock, { policy: { connect: () => ({ user: 'ann' }) } });
    const client = await server.connected();
    await server.node.refresh({ user: 'ann' }, { at: Date.now() + 100, clientRefresh: false });
    expect(await client.events.next('connecting')).toEqual({ code: 3005, reason: 'connection expired' });
    await client.events.next('connected');
  });

  it.for([
    ['an error for good', new ReplyError(103, 'permission denied'), 'disconnected', 103, 'permission denied'],
    ['3500', new Disconnect(3500, 'invalid token'), 'disconnected', 3500, 'invalid token'],
    ['3005', new Disconnect(3005, 'connection expired'), 'connecting', 3005, 'connection expired'],
  ] as const)(
    'a refresh refused with %s ends in %4$s',
    async ([_name, refusal, event, code, reason], test) => {
      const server = await serve(test, stock, {
        policy: {
          connect: expiring,
          refresh: () => {
            throw refusal;
          },
        },
      });
      const client = await server.connected({ token: 'first', getToken: tokens('t') });
      expect(await client.events.next(event)).toEqual({ code, reason });
    },
  );

  it('a refresh that would end in the past is refused with 110', async test => {
    const server = await serve(test, stock, {
      policy: { connect: expiring, refresh: () => ({ expiry: { at: Date.now() - 1, clientRefresh: true } }) },
    });
    const client = await server.connected({ token: 'first', getToken: tokens('t') });
    expect(await client.events.next('disconnected')).toEqual({ code: 110, reason: 'expired' });
  });

  it('a server without refresh answers 108', async test => {
    const server = await serve(test, stock, { policy: { connect: expiring } });
    const client = await server.connected({ token: 'first', getToken: tokens('t') });
    expect(await client.events.next('disconnected')).toEqual({ code: 108, reason: 'not available' });
  });

  it('a temporary refusal of a refresh keeps the connection until expiry and grace', async test => {
    const server = await serve(test, stock, {
      limits: { expiryGraceMs: 300 },
      policy: {
        connect: expiring,
        refresh: () => {
          throw new ReplyError(100, 'internal server error', true);
        },
      },
    });
    const client = await server.connected({ token: 'first', getToken: tokens('t') });
    expect(await client.events.next('error')).toMatchObject({ type: 'refresh', error: { code: 100 } });
    expect(client.centrifuge.state).toBe('connected');
    expect((await client.events.next('connecting')).code).toBe(3005);
  });
});
