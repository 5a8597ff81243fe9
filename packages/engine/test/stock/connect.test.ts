import { type ConnectEvent, Disconnect } from '@msg/engine';
import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { fromPayload, STOCK, toPayload } from './stock-clients.ts';
import { serve } from './stock-server.ts';

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const parsed = (bytes: Uint8Array | null): unknown => JSON.parse(Buffer.from(bytes ?? []).toString());

describe.concurrent.each(STOCK)('connect, $name', stock => {
  it('shows the hook token, data, name, version and emulated headers, and the client its id and data', async test => {
    const seen: ConnectEvent[] = [];
    const server = await serve(test, stock, {
      policy: {
        connect: event => {
          seen.push(event);
          return { user: 'ann', data: json({ hello: 'ann' }) };
        },
      },
    });
    const client = server.client({
      token: 'secret',
      data: toPayload(stock, { room: 7, text: 'ü' }),
      name: 'suite',
      version: '9.9.9',
      headers: { 'x-org': '42' },
    });
    client.centrifuge.connect();
    const connected = await client.events.next('connected');
    const [event] = seen;
    expect(event).toMatchObject({ token: 'secret', name: 'suite', version: '9.9.9' });
    expect(parsed(event?.data ?? null)).toEqual({ room: 7, text: 'ü' });
    expect([...(event?.headers ?? [])]).toEqual([['x-org', '42']]);
    expect(event?.client.transport).toMatchObject({ name: stock.transport, encoding: stock.encoding });
    expect(connected.client).toBe(server.peer(client).id);
    expect(connected.client).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
    expect(fromPayload(stock, connected.data)).toEqual({ hello: 'ann' });
  });

  it('takes a client without credentials as the anonymous user', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    expect(server.peer(client).user).toBe('');
    expect(fromPayload(stock, client.events.all('connected')[0]?.data)).toBeUndefined();
  });

  it('gives every connection of a client another id', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const first = client.id;
    server.cut(client);
    await client.events.next('connected');
    expect(client.id).not.toBe(first);
    expect([...server.node.clients()].map(({ id }) => id)).toEqual([client.id]);
  });

  it('executes what the client sent together with connect', async test => {
    const server = await serve(test, stock);
    const client = server.client();
    const subscriptions = Array.from({ length: 20 }, (_, i) => client.subscribe(`room-${i}`));
    client.centrifuge.connect();
    await Promise.all(subscriptions.map(({ events }) => events.next('subscribed')));
    expect(server.peer(client).channels()).toHaveLength(20);
  });

  it('ends a client for good with 3500 that the hook throws, and makes it come back with 4000', async test => {
    let attempt = 0;
    const server = await serve(test, stock, {
      policy: {
        connect: () => {
          attempt++;
          throw attempt === 1 ? new Disconnect(4000, 'later') : new Disconnect(3500, 'invalid token');
        },
      },
    });
    const client = server.client();
    client.centrifuge.connect();
    expect(await client.events.next('disconnected')).toEqual({ code: 3500, reason: 'invalid token' });
    expect(attempt).toBe(2);
  });

  it('reports a hook that breaks as a temporary error 100, and the client retries', async test => {
    let attempt = 0;
    const server = await serve(test, stock, {
      policy: {
        connect: () => {
          if (++attempt === 1) throw new Error('database gone');
          return { user: '' };
        },
      },
    });
    const client = await server.connected();
    expect(client.events.all('error')).toMatchObject([
      { type: 'connect', error: { code: 100, message: 'internal server error', temporary: true } },
    ]);
    expect(server.errors.splice(0)).toMatchObject([{ message: 'database gone' }]);
  });

  it('ends a client whose connect takes too long with 3502', async test => {
    const server = await serve(test, stock, {
      limits: { staleMs: 200 },
      policy: { connect: () => new Promise(() => {}) },
    });
    const client = server.client();
    client.centrifuge.connect();
    expect(await client.events.next('disconnected')).toEqual({ code: 3502, reason: 'stale' });
  });

  it('ends the connection of a user beyond the limit with 3504 and leaves the others alone', async test => {
    const server = await serve(test, stock, {
      limits: { connectionsPerUser: 1 },
      policy: { connect: ({ token }) => ({ user: token }) },
    });
    const first = await server.connected({ token: 'ann' });
    const other = await server.connected({ token: 'bob' });
    const second = server.client({ token: 'ann' });
    second.centrifuge.connect();
    expect(await second.events.next('disconnected')).toEqual({ code: 3504, reason: 'connection limit' });
    expect([first.centrifuge.state, other.centrifuge.state]).toEqual(['connected', 'connected']);
    first.centrifuge.disconnect();
    await eventually('the place is free', () => server.node.stats().connections === 1);
    const third = await server.connected({ token: 'ann' });
    expect(third.centrifuge.state).toBe('connected');
  });

  it('takes no message above the size limit', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const publish = client.centrifuge.publish('news', toPayload(stock, 'x'.repeat(70_000)));
    await expect(publish).rejects.toMatchObject({ code: expect.any(Number) });
    if (stock.transport === 'webtransport') {
      expect(await client.events.next('disconnected')).toEqual({ code: 3501, reason: 'bad request' });
      return;
    }
    if (stock.transport !== 'websocket') {
      // The request is refused with 413, which clients do not look at: the command goes unanswered.
      expect(client.events.names).toEqual(['connecting', 'connected']);
      return;
    }
    expect(await client.events.next('disconnected')).toEqual({
      code: 3,
      reason: 'message size limit exceeded',
    });
  });

  it('tells clients 3001 at shutdown; they try to come back', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    await server.node.shutdown();
    expect(await client.events.next('connecting')).toEqual({ code: 3001, reason: 'shutdown' });
  });
});
