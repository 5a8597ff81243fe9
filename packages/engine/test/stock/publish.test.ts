import { ReplyError } from '@msg/engine';
import { describe, expect, it } from 'vitest';
import { fromPayload, STOCK, toPayload } from './stock-clients.ts';
import { serve } from './stock-server.ts';

describe.concurrent.each(STOCK)('publish and receive, $name', stock => {
  it('delivers a client publication to everybody, the publisher included, with its info and the tags', async test => {
    const server = await serve(test, stock, {
      policy: {
        connect: ({ token }) => ({ user: token, info: Buffer.from(`{"name":"${token}"}`) }),
        subscribe: () => ({ recovery: 'stream', info: Buffer.from('{"role":"writer"}') }),
        publish: (_client, event, forward) => forward(event, { tags: new Map([['from', event.channel]]) }),
      },
    });
    const ann = await server.connected({ token: 'ann' });
    const bob = await server.connected({ token: 'bob' });
    const subscriptions = [await ann.subscribed('room'), await bob.subscribed('room')];
    const payload = { text: 'grüße 🎈', list: [1, 2.5, null, true], nested: { a: {} } };
    await ann.centrifuge.publish('room', toPayload(stock, payload));
    for (const subscription of subscriptions) {
      expect(await subscription.receives(1)).toEqual([
        {
          offset: 1,
          data: payload,
          info: { user: 'ann', client: ann.id, connInfo: { name: 'ann' }, chanInfo: { role: 'writer' } },
          tags: { from: 'room' },
        },
      ]);
    }
  });

  it('delivers server publications in order, without info', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('room');
    await server.publishRange('room', 1, 200);
    const received = await subscription.receives(200);
    expect(received.map(({ data, offset, info }) => [data, offset, info])).toEqual(
      Array.from({ length: 200 }, (_, i) => [i + 1, i + 1, undefined]),
    );
  });

  it('delivers without offset where no stream is kept', async test => {
    const server = await serve(test, stock, {
      without: ['streamOptions'],
      policy: { subscribe: () => ({}) },
    });
    const client = await server.connected();
    const subscription = await client.subscribed('room');
    await subscription.centrifuge.publish(toPayload(stock, 'hello'));
    const [publication] = await subscription.receives(1);
    expect(publication).toMatchObject({ data: 'hello', offset: undefined });
  });

  it('takes any JSON value as payload', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('room');
    const values = [0, '', false, [], {}, 'text\nwith "breaks"\u2028', [[[[]]]], 1e21];
    for (const value of values) await subscription.centrifuge.publish(toPayload(stock, value));
    expect((await subscription.receives(values.length)).map(({ data }) => data)).toEqual(values);
  });

  it('shows text that is not JSON to JSON clients as a string, other bytes as tagged base64', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('room');
    await server.node.publish('room', Buffer.from('boom'));
    const [text] = await subscription.events.atLeast(1, 'publication');
    expect(stock.encoding === 'json' ? text?.data : Buffer.from(text?.data).toString()).toBe('boom');
    await server.node.publish('room', Buffer.from([0xff, 0xfe]));
    const [, bytes] = await subscription.events.atLeast(2, 'publication');
    if (stock.encoding === 'json') {
      expect(bytes).toMatchObject({ data: '//4=', tags: { 'msg-encoding': 'base64' } });
    } else expect([...(bytes?.data ?? [])]).toEqual([0xff, 0xfe]);
  });

  it('rejects a publish that the hook refuses, and goes on', async test => {
    const server = await serve(test, stock, {
      policy: {
        publish: (_client, event, forward) => {
          if (Buffer.from(event.data).toString() === '"bad"') throw new ReplyError(103, 'permission denied');
          return forward(event, {});
        },
      },
    });
    const client = await server.connected();
    const subscription = await client.subscribed('room');
    await expect(client.centrifuge.publish('room', toPayload(stock, 'bad'))).rejects.toMatchObject({
      code: 103,
      message: 'permission denied',
    });
    await client.centrifuge.publish('room', toPayload(stock, 'good'));
    expect((await subscription.receives(1)).map(({ data }) => data)).toEqual(['good']);
  });

  it('publishes once for a repeated idempotency key', async test => {
    const server = await serve(test, stock, {
      policy: { publish: (_client, event, forward) => forward(event, { idempotencyKey: 'k' }) },
    });
    const client = await server.connected();
    const subscription = await client.subscribed('room');
    for (const text of ['first', 'repeat']) await client.centrifuge.publish('room', toPayload(stock, text));
    await server.publish('room', 'last');
    expect((await subscription.receives(2)).map(({ data, offset }) => [data, offset])).toEqual([
      ['first', 1],
      ['last', 2],
    ]);
  });

  it('answers rpc with the result, the error or 108', async test => {
    const server = await serve(test, stock, {
      policy: {
        rpc: (_client, { method, data }) => {
          if (method === 'count') return Buffer.from(String(JSON.parse(Buffer.from(data).toString()).length));
          if (method === 'busy') throw new ReplyError(111, 'too many requests', true);
          if (method === 'own') throw new ReplyError(1234, 'own error');
          throw new ReplyError(104, 'method not found');
        },
      },
    });
    const { centrifuge } = await server.connected();
    const { data } = await centrifuge.rpc('count', toPayload(stock, [1, 2, 3]));
    expect(fromPayload(stock, data)).toBe(3);
    const nothing = toPayload(stock, null);
    await expect(centrifuge.rpc('other', nothing)).rejects.toMatchObject({
      code: 104,
      message: 'method not found',
    });
    await expect(centrifuge.rpc('busy', nothing)).rejects.toMatchObject({ code: 111, temporary: true });
    await expect(centrifuge.rpc('own', nothing)).rejects.toMatchObject({ code: 1234, message: 'own error' });
  });

  it('answers commands whose hooks are absent with 108', async test => {
    const server = await serve(test, stock, {
      without: ['rpc', 'publish', 'history', 'presence', 'presenceStats'],
    });
    const { centrifuge } = await server.connected();
    const refused = { code: 108, message: 'not available' };
    await expect(centrifuge.rpc('any', toPayload(stock, 1))).rejects.toMatchObject(refused);
    await expect(centrifuge.publish('room', toPayload(stock, 1))).rejects.toMatchObject(refused);
    await expect(centrifuge.history('room', { limit: 1 })).rejects.toMatchObject(refused);
    await expect(centrifuge.presence('room')).rejects.toMatchObject(refused);
    await expect(centrifuge.presenceStats('room')).rejects.toMatchObject(refused);
  });

  it('brings messages of the server outside any channel', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const received = new Promise(resolve => {
      client.centrifuge.on('message', ({ data }) => resolve(fromPayload(stock, data)));
    });
    for (const one of server.node.clients()) one.send(Buffer.from('{"hello":"grüße"}'));
    expect(await received).toEqual({ hello: 'grüße' });
  });

  it('hands messages of the client to the hook in order, and ends the client with 3508 without one', async test => {
    const messages: string[] = [];
    const policy = {
      message: (_client: unknown, data: Uint8Array) => void messages.push(Buffer.from(data).toString()),
    };
    const server = await serve(test, stock, { policy });
    const { centrifuge } = await server.connected();
    for (const n of [1, 2, 3]) await centrifuge.send(toPayload(stock, n));
    await centrifuge.rpc('echo', toPayload(stock, null));
    expect(messages).toEqual(['1', '2', '3']);

    const deaf = await serve(test, stock, { without: ['message'] });
    const client = await deaf.connected();
    await client.centrifuge.send(toPayload(stock, 1));
    expect(await client.events.next('disconnected')).toEqual({ code: 3508, reason: 'not available' });
  });
});
