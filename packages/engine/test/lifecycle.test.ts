import { type Client, type ConnectDecision, Disconnect, type Policy, ReplyError } from '@msg/engine';
import type { Encoding } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
afterEach(() => harness.stop());

async function start(policy: Partial<Policy>, limits = {}): Promise<void> {
  harness = await Harness.start({ policy: { ...OPEN_POLICY, ...policy }, limits });
}

/** A promise that a test settles from outside. */
function gate<T>(): { promise: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => {};
  const promise = new Promise<T>(resolve => {
    open = resolve;
  });
  return { promise, open };
}

const soon = (ms: number, clientRefresh = true) => ({ at: harness.clock.now() + ms, clientRefresh });

describe.each<Encoding>(['json', 'protobuf'])('connect, %s', encoding => {
  it('answers a refused connect with its error, executes nothing more and closes within 5 s', async () => {
    await start({
      connect: () => {
        throw new ReplyError(109, 'token expired');
      },
    });
    const client = await harness.open({ encoding });
    client.sendBatch([{ connect: {} }, { subscribe: { channel: 'a' } }]);
    const reply = await client.take(({ id }) => id === 1);
    expect(reply.error).toEqual({ code: 109, message: 'token expired', temporary: false });
    await harness.clock.advance(4000);
    client.send({ publish: { channel: 'a', data: Buffer.from('1') } });
    expect(harness.node.stats().connections).toBe(1);
    await harness.clock.advance(1200);
    expect((await client.closed()).code).toBe(1000);
    expect(client.received).toEqual([]);
  });

  it.each([
    ['a disconnect', new Disconnect(3500, 'invalid token'), { code: 3500, reason: 'invalid token' }],
    ['an application disconnect', new Disconnect(4501, 'banned'), { code: 4501, reason: 'banned' }],
  ])('ends with %s of the policy', async (_name, error, closed) => {
    await start({ connect: () => Promise.reject(error) });
    const client = await harness.open({ encoding });
    client.send({ connect: {} });
    expect(await client.closed()).toEqual(closed);
  });

  it('answers error 100, temporary, when the policy fails, and reports the failure', async () => {
    const broken = new Error('database gone');
    await start({ subscribe: () => Promise.reject(broken) });
    const client = await harness.connected({ encoding });
    const { error } = await client.request({ subscribe: { channel: 'a' } });
    expect(error).toEqual({ code: 100, message: 'internal server error', temporary: true });
    expect(harness.errors).toEqual([broken]);
  });

  it('answers 110 when the credentials have expired already', async () => {
    await start({ connect: () => ({ user: 'u', expiry: soon(-1) }) });
    const client = await harness.open({ encoding });
    expect((await client.request({ connect: {} })).error?.code).toBe(110);
  });

  it('limits the connections of one user with 3504, anonymous ones not', async () => {
    await start({ connect: ({ token }) => ({ user: token }) }, { connectionsPerUser: 2 });
    const open = async (token: string) => {
      const client = await harness.open({ encoding });
      client.send({ connect: { token } });
      return client;
    };
    const clients = await Promise.all([open('u'), open('u'), open(''), open(''), open('')]);
    for (const client of clients) expect((await client.take(() => true)).connect).not.toBeNull();
    const third = await open('u');
    expect(await third.closed()).toEqual({ code: 3504, reason: 'connection limit' });
    await clients[0]?.close();
    await eventually('the place is free', () => harness.node.stats().connections === 4);
    const fourth = await open('u');
    expect((await fourth.take(() => true)).connect).not.toBeNull();
  });

  it('shows hooks the token, data, client name and emulated headers', async () => {
    const seen: unknown[] = [];
    await start({
      connect: ({ token, data, name, version, headers, client }) => {
        seen.push([
          token,
          Buffer.from(data ?? []).toString(),
          name,
          version,
          [...headers],
          client.transport.encoding,
        ]);
        return { user: 'u', data: Buffer.from('{"hello":1}') };
      },
    });
    const client = await harness.open({ encoding });
    const { connect } = await client.request({
      connect: {
        token: 't',
        data: Buffer.from('{"v":2}'),
        name: 'js',
        version: '1.0',
        headers: new Map([['x-org', '7']]),
      },
    });
    expect(seen).toEqual([['t', '{"v":2}', 'js', '1.0', [['x-org', '7']], encoding]]);
    expect(Buffer.from(connect?.data ?? []).toString()).toBe('{"hello":1}');
  });
});

describe('commands of one connection', () => {
  it('run strictly one after the other, whatever they wait for', async () => {
    const first = gate<Uint8Array>();
    const order: string[] = [];
    await start({
      rpc: async (_client, { method }) => {
        order.push(`begin ${method}`);
        const result = method === 'slow' ? await first.promise : Buffer.from('2');
        order.push(`end ${method}`);
        return result;
      },
    });
    const client = await harness.connected();
    const [slow, fast] = client.sendBatch([{ rpc: { method: 'slow' } }, { rpc: { method: 'fast' } }]);
    client.send({ rpc: { method: 'third' } });
    await eventually('the first began', () => order.length > 0);
    first.open(Buffer.from('1'));
    await client.take(({ id }) => id === fast);
    await client.take(({ rpc }) => rpc !== null);
    await eventually('all ran', () => order.length === 6);
    expect(order).toEqual(['begin slow', 'end slow', 'begin fast', 'end fast', 'begin third', 'end third']);
    expect(slow).toBeDefined();
  });

  it('wait in a bounded backlog: beyond it the socket is not read, and a pong still counts', async () => {
    const waiting = gate<Uint8Array>();
    let begun = 0;
    await start({
      rpc: () => {
        begun++;
        return waiting.promise;
      },
    });
    const client = await harness.connected();
    const payload = Buffer.from(JSON.stringify('x'.repeat(30_000)));
    for (let i = 0; i < 20; i++) client.send({ rpc: { data: payload } });
    await eventually('the first began', () => begun === 1);
    await eventually(
      'reading has stopped',
      () => client.websocket.bufferedAmount > 0 || harness.node.stats().bytesIn < 200_000,
    );
    expect(harness.node.stats().bytesIn).toBeLessThan(200_000);
    // While we do not read, the silence of the client proves nothing.
    await harness.clock.advance(60_000);
    expect(harness.node.stats().connections).toBe(1);
    waiting.open(Buffer.from('1'));
    await client.take(({ id }) => id === 21);
    expect(begun).toBe(20);
  });

  it('that are still running when the connection goes away leave nothing behind', async () => {
    const waiting = gate<object>();
    await start({
      subscribe: () => waiting.promise.then(() => ({ recovery: 'stream' as const, emitPresence: true })),
    });
    const client = await harness.connected();
    client.send({ subscribe: { channel: 'a' } });
    client.websocket.terminate();
    await eventually('the session is closed', () => harness.node.stats().connections === 0);
    waiting.open({});
    await harness.clock.advance(1000);
    expect(harness.node.stats()).toMatchObject({ subscriptions: 0, channels: 0 });
    expect((await harness.node.presence.get('a')).size).toBe(0);
  });

  it.each([
    ['rpc', { rpc: { method: 'x' } }, 108],
    ['presence', { presence: { channel: 'a' } }, 108],
    ['presence_stats', { presenceStats: { channel: 'a' } }, 108],
    ['refresh', { refresh: { token: 't' } }, 108],
    ['map subscribe', { subscribe: { channel: 'a', type: 1 } }, 108],
    ['map publish', { publish: { channel: 'a', type: 1 } }, 108],
    ['sub_refresh without subscription', { subRefresh: { channel: 'a', token: 't' } }, 103],
  ])('answer %s with an error when it is not offered', async (_name, command, code) => {
    await start({});
    const client = await harness.connected();
    expect((await client.request(command)).error?.code).toBe(code);
  });

  it('end with 3508 on send when the policy does not take it', async () => {
    await start({});
    const client = await harness.connected();
    client.send({ send: { data: Buffer.from('1') } });
    expect(await client.closed()).toEqual({ code: 3508, reason: 'not available' });
  });

  it('reach the application through rpc, send and publish', async () => {
    const messages: string[] = [];
    await start({
      rpc: (_client, { method, data }) => Buffer.from(JSON.stringify({ method, length: data.length })),
      message: (_client, data) => messages.push(Buffer.from(data).toString()),
      publish: (_client, event, forward) => forward(event, { tags: new Map([['from', event.info.client]]) }),
    });
    const client = await harness.connected();
    const { rpc } = await client.request({ rpc: { method: 'm', data: Buffer.from('[1]') } });
    expect(Buffer.from(rpc?.data ?? []).toString()).toBe('{"method":"m","length":3}');
    client.send({ send: { data: Buffer.from('"hi"') } });
    await client.request({ subscribe: { channel: 'a' } });
    expect(
      (await client.request({ publish: { channel: 'a', data: Buffer.from('1') } })).publish,
    ).not.toBeNull();
    const { pub } = await client.push();
    expect(pub?.info?.client).toMatch(/^[0-9a-f-]{36}$/);
    expect(pub?.tags.get('from')).toBe(pub?.info?.client);
    expect(messages).toEqual(['"hi"']);
  });
});

describe('history', () => {
  it('answers positions, pages in both directions, and refuses what makes no sense', async () => {
    await start({});
    for (let i = 1; i <= 5; i++) await harness.publish('a', String(i));
    const { epoch } = await harness.node.history('a', { limit: 0 });
    const client = await harness.connected();
    const read = async (request: object) => {
      const { history, error } = await client.request({ history: { channel: 'a', ...request } });
      return error === null
        ? [history?.publications.map(p => p.offset), history?.offset, history?.epoch]
        : error.code;
    };
    expect(await read({})).toEqual([[], 5, epoch]);
    expect(await read({ limit: 2 })).toEqual([[1, 2], 5, epoch]);
    expect(await read({ limit: -1, reverse: true })).toEqual([[5, 4, 3, 2, 1], 5, epoch]);
    expect(await read({ limit: 2, since: { offset: 2, epoch } })).toEqual([[3, 4], 5, epoch]);
    expect(await read({ limit: 2, since: { offset: 2, epoch: '' } })).toEqual([[3, 4], 5, epoch]);
    expect(await read({ limit: 5, since: { offset: 3, epoch }, reverse: true })).toEqual([[2, 1], 5, epoch]);
    expect(await read({ limit: 5, since: { offset: 3, epoch: 'other' } })).toBe(112);
    expect(await read({ limit: 5, since: { offset: 0, epoch }, reverse: true })).toBe(107);
  });

  it('is capped by the limit of the server', async () => {
    await start({}, { historyItems: 2 });
    for (let i = 1; i <= 5; i++) await harness.publish('a', String(i));
    const client = await harness.connected();
    for (const limit of [-1, 4]) {
      const { history } = await client.request({ history: { channel: 'a', limit } });
      expect(history?.publications.map(({ offset }) => offset)).toEqual([1, 2]);
    }
  });
});

describe('expiry', () => {
  const named = (expiry: ConnectDecision['expiry']): ConnectDecision => ({
    user: 'u',
    ...(expiry && { expiry }),
  });

  it('is announced, extended by refresh with the client id, and ends with 3005 after the grace', async () => {
    await start({ connect: () => named(soon(60_000)), refresh: () => ({ expiry: soon(120_000) }) });
    const client = await harness.open();
    const { connect } = await client.request({ connect: {} });
    expect(connect).toMatchObject({ expires: true, ttl: 60 });
    await harness.clock.advance(10_000);
    const { refresh } = await client.request({ refresh: { token: 'new' } });
    expect(refresh).toEqual({ client: connect?.client, version: '1.2.3', expires: true, ttl: 120 });
    for (let t = 0; t < 144_000; t += 4000) {
      await harness.clock.advance(4000);
      if (client.received.some(({ push }) => push === null)) {
        await client.ping();
        client.pong();
        await client.request({ unsubscribe: { channel: 'none' } });
      }
    }
    await harness.clock.advance(1500);
    expect(await client.closed()).toEqual({ code: 3005, reason: 'connection expired' });
  });

  it('refuses a refresh without token (3501), one that is over already (110), and passes refusals on', async () => {
    const answers = [
      () => ({ expiry: soon(-1) }),
      () => {
        throw new Disconnect(3500, 'invalid token');
      },
    ];
    await start({ connect: () => named(soon(60_000)), refresh: () => (answers.shift() ?? (() => ({})))() });
    const client = await harness.connected();
    expect((await client.request({ refresh: { token: 't' } })).error?.code).toBe(110);
    client.send({ refresh: { token: 't' } });
    expect((await client.closed()).code).toBe(3500);
    const other = await harness.connected();
    other.send({ refresh: {} });
    expect((await other.closed()).code).toBe(3501);
  });

  it('managed by the server asks the policy and sends the client nothing', async () => {
    let asked = 0;
    await start({
      connect: () => named(soon(10_000, false)),
      refresh: (_client, { token }) => {
        expect(token).toBe('');
        asked++;
        return { expiry: asked === 1 ? soon(2000, false) : soon(-1) };
      },
    });
    const client = await harness.open();
    expect((await client.request({ connect: {} })).connect).toMatchObject({ expires: false, ttl: 0 });
    await harness.clock.advance(10_200);
    expect(asked).toBe(1);
    expect(harness.node.stats().connections).toBe(1);
    await harness.clock.advance(2200);
    expect(await client.closed()).toEqual({ code: 3005, reason: 'connection expired' });
    const eager = await harness.connected();
    eager.send({ refresh: { token: 't' } });
    expect((await eager.closed()).code).toBe(3501);
  });

  it('of a subscription is extended by sub_refresh, and ends it with 2501 after the grace', async () => {
    const refreshed: string[] = [];
    await start({
      subscribe: () => ({ recovery: 'stream', expiry: soon(10_000) }),
      subRefresh: (_client, { channel, token }) => {
        refreshed.push(`${channel} ${token}`);
        if (token === 'bad') throw new ReplyError(103, 'permission denied');
        return { expiry: soon(token === 'old' ? -1 : 20_000) };
      },
    });
    const client = await harness.connected();
    const { subscribe } = await client.request({ subscribe: { channel: 'a' } });
    expect(subscribe).toMatchObject({ expires: true, ttl: 10 });
    const answer = async (token: string) => client.request({ subRefresh: { channel: 'a', token } });
    expect((await answer('')).error?.code).toBe(107);
    expect((await answer('bad')).error?.code).toBe(103);
    expect((await answer('old')).error?.code).toBe(110);
    expect((await answer('new')).subRefresh).toMatchObject({ expires: true, ttl: 20 });
    expect(refreshed).toEqual(['a bad', 'a old', 'a new']);
    for (let t = 0; t < 44_000; t += 4000) {
      await harness.clock.advance(4000);
      if (client.received.some(({ push }) => push === null)) {
        await client.ping();
        client.pong();
        await client.request({ unsubscribe: { channel: 'none' } });
      }
    }
    expect(harness.node.subscriberCount('a')).toBe(1);
    await harness.clock.advance(1500);
    const { unsubscribe } = await client.push();
    expect(unsubscribe).toEqual({ code: 2501, reason: 'subscription expired' });
    expect(harness.node.subscriberCount('a')).toBe(0);
  });

  it('of a subscription managed by the server asks the policy', async () => {
    let asked = 0;
    await start({
      subscribe: () => ({ expiry: soon(2000, false) }),
      subRefresh: () => {
        asked++;
        return { expiry: soon(asked === 1 ? 2000 : -1, false) };
      },
    });
    const client = await harness.connected();
    expect((await client.request({ subscribe: { channel: 'a' } })).subscribe).toMatchObject({
      expires: false,
    });
    await harness.clock.advance(2200);
    expect([asked, harness.node.subscriberCount('a')]).toEqual([1, 1]);
    await harness.clock.advance(2200);
    expect((await client.push()).unsubscribe?.code).toBe(2501);
  });
});

describe('messages of the server', () => {
  it.each<Encoding>(['json', 'protobuf'])('reach the client outside any channel, %s', async encoding => {
    await start({});
    const client = await harness.connected({ encoding });
    for (const one of harness.node.clients()) one.send(Buffer.from('{"hello":1}'));
    const { channel, message } = await client.push();
    expect([channel, Buffer.from(message?.data ?? []).toString()]).toEqual(['', '{"hello":1}']);
    for (const one of harness.node.clients()) one.send(Buffer.from('text'));
    const { message: text } = await client.push();
    expect(Buffer.from(text?.data ?? []).toString()).toBe(encoding === 'json' ? '"text"' : 'text');
    for (const one of harness.node.clients()) one.send(Buffer.from([0xff]));
    const { message: bytes } = await client.push();
    expect(Buffer.from(bytes?.data ?? [])).toEqual(Buffer.from(encoding === 'json' ? '"/w=="' : [0xff]));
  });
});

describe('hooks', () => {
  it('learn of every end once, with its code', async () => {
    const ends: unknown[] = [];
    const clients: Client[] = [];
    await start({
      connect: ({ client }) => {
        clients.push(client);
        return { user: 'u', state: { any: 'thing' } };
      },
      subscribe: (client, { channel }) => ({ state: { channel, of: client.state } }),
      unsubscribed: (_client, channel, code) => ends.push([channel, code]),
      disconnected: (_client, code, reason) => ends.push([code, reason]),
    });
    const client = await harness.connected();
    for (const channel of ['a', 'b', 'c']) await client.request({ subscribe: { channel } });
    expect(clients[0]?.channels()).toEqual(['a', 'b', 'c']);
    expect(clients[0]?.subscriptionState('a')).toEqual({ channel: 'a', of: { any: 'thing' } });
    await client.request({ unsubscribe: { channel: 'a' } });
    clients[0]?.unsubscribe('b', 2000, 'server unsubscribe');
    expect((await client.push()).unsubscribe).toEqual({ code: 2000, reason: 'server unsubscribe' });
    await client.close();
    await eventually('the end is known', () => ends.length === 4);
    expect(ends).toEqual([
      ['a', 0],
      ['b', 2000],
      ['c', 1],
      [3000, 'connection closed'],
    ]);
  });

  it('that fail in a notification harm no connection', async () => {
    const broken = new Error('listener');
    await start({
      unsubscribed: () => {
        throw broken;
      },
      disconnected: () => {
        throw broken;
      },
    });
    const client = await harness.connected();
    await client.request({ subscribe: { channel: 'a' } });
    expect((await client.request({ unsubscribe: { channel: 'a' } })).unsubscribe).not.toBeNull();
    await client.close();
    await eventually('both were reported', () => harness.errors.length === 2);
  });
});
