import { describe, expect, test } from 'vitest';
import {
  client,
  disconnected,
  event,
  publications,
  TRANSPORTS,
  token,
  UnauthorizedError,
  until,
} from './client.ts';

const DISCONNECT_CALLED = 0;
const UNSUBSCRIBE_CALLED = 0;
const UNAUTHORIZED = 1;
const TRANSPORT_CLOSED = 1;
const CHANNELS = ['test1', 'test2', 'test3', 'test4', 'test5'];

describe.each(TRANSPORTS)('%s', transport => {
  test('connects and disconnects', async () => {
    const c = client(transport);
    const gone = event(c, 'disconnected');
    c.connect();
    await c.ready(5000);
    expect(c.state).toBe('connected');
    c.disconnect();
    expect((await gone).code).toBe(DISCONNECT_CALLED);
    expect(c.state).toBe('disconnected');
  });

  test('subscribes and unsubscribes', async () => {
    const c = client(transport);
    c.connect();
    await c.ready(5000);
    const sub = c.newSubscription('test');
    const ended = event(sub, 'unsubscribed');
    sub.subscribe();
    await sub.ready(5000);
    expect([sub.state, c.state]).toEqual(['subscribed', 'connected']);
    sub.unsubscribe();
    c.disconnect();
    expect((await ended).code).toBe(UNSUBSCRIBE_CALLED);
    expect([sub.state, c.state]).toEqual(['unsubscribed', 'disconnected']);
  });

  test('publishes and receives', async () => {
    const c = client(transport);
    c.connect();
    const sub = c.newSubscription('test');
    const received = event(sub, 'publication');
    sub.subscribe();
    await sub.ready(5000);
    await sub.publish({ my: 'data' });
    expect((await received).data).toStrictEqual({ my: 'data' });
    await disconnected(c);
  });

  test('holds calls back until it is connected', async () => {
    const c = client(transport);
    const answer = c.rpc('method', { my: 'data' });
    c.connect();
    await expect(answer).rejects.toMatchObject({ code: 108 });
    await disconnected(c);
  });

  test('follows the network: offline closes, online connects', async () => {
    const networkEventTarget = new EventTarget();
    const c = client(transport, { networkEventTarget });
    c.connect();
    await c.ready(5000);
    const connecting = event(c, 'connecting');
    networkEventTarget.dispatchEvent(new Event('offline'));
    expect((await connecting).code).toBe(TRANSPORT_CLOSED);
    expect(c.state).toBe('connecting');
    networkEventTarget.dispatchEvent(new Event('online'));
    await c.ready(5000);
    expect(c.state).toBe('connected');
    await disconnected(c);
  });

  test('stays disconnected when the network comes back', async () => {
    const networkEventTarget = new EventTarget();
    const c = client(transport, { networkEventTarget });
    c.connect();
    await c.ready(5000);
    await disconnected(c);
    networkEventTarget.dispatchEvent(new Event('online'));
    expect(c.state).toBe('disconnected');
  });

  test('sees itself among those present', async () => {
    const c = client(transport);
    c.connect();
    const sub = c.newSubscription('test');
    sub.subscribe();
    await sub.ready(5000);
    expect(Object.keys((await sub.presence()).clients).length).toBeGreaterThan(0);
    const { numClients, numUsers } = await sub.presenceStats();
    expect([numClients > 0, numUsers > 0]).toEqual([true, true]);
    await disconnected(c);
  });

  test('connects and disconnects in a loop', async () => {
    const c = client(transport);
    const gone = event(c, 'disconnected');
    for (let round = 0; round < 10; round++) {
      c.connect();
      c.disconnect();
    }
    expect(c.state).toBe('disconnected');
    await gone;
  });

  test('subscribes and unsubscribes in a loop, and presence follows', async () => {
    const c = client(transport);
    c.connect();
    await c.ready(5000);
    const sub = c.newSubscription('test');
    const ended = event(sub, 'unsubscribed');
    for (let round = 0; round < 10; round++) {
      sub.subscribe();
      sub.unsubscribe();
    }
    expect(sub.state).toBe('unsubscribed');
    await ended;
    sub.subscribe();
    await until(async () => {
      const { numClients, numUsers } = await sub.presenceStats();
      return numClients === 1 && numUsers === 1;
    });
    expect(Object.keys((await sub.presence()).clients)).toHaveLength(1);
    sub.unsubscribe();
    await until(async () => (await c.presenceStats('test')).numClients === 0);
    expect(Object.keys((await c.presence('test')).clients)).toHaveLength(0);
    await disconnected(c);
  });

  test('unsubscribes right after connect', async () => {
    const c = client(transport);
    c.connect();
    await c.ready(5000);
    const sub = c.newSubscription('test');
    const ended = event(sub, 'unsubscribed');
    const live = event(sub, 'subscribed');
    sub.subscribe();
    c.disconnect();
    c.connect();
    sub.unsubscribe();
    expect(sub.state).toBe('unsubscribed');
    await ended;
    sub.subscribe();
    await live;
    await disconnected(c);
  });

  test('connects and subscribes with tokens, each asked for once', async () => {
    for (let round = 0; round < 5; round++) {
      const asked: string[] = [];
      const later = async (channel?: string): Promise<string> => {
        await new Promise(resolve => setTimeout(resolve, Math.random() * 100));
        asked.push(channel ?? 'connection');
        return token(channel);
      };
      const c = client(transport, { getToken: () => later() });
      c.connect();
      const sub = c.newSubscription('test1', { getToken: () => later('test1') });
      const ended = event(sub, 'unsubscribed');
      sub.subscribe();
      await sub.ready(5000);
      expect(c.state).toBe('connected');
      sub.unsubscribe();
      c.disconnect();
      await ended;
      expect([sub.state, c.state]).toEqual(['unsubscribed', 'disconnected']);
      expect(asked).toEqual(['connection', 'test1']);
    }
  });

  test('subscribes to and unsubscribes from many channels', async () => {
    for (let round = 0; round < 5; round++) {
      const c = client(transport);
      c.connect();
      const subs = CHANNELS.map(channel => c.newSubscription(channel, { getToken: () => token(channel) }));
      const ends = subs.map(sub => event(sub, 'unsubscribed'));
      for (const sub of subs) sub.subscribe();
      await Promise.all(subs.map(sub => sub.ready(5000)));
      for (const sub of subs) sub.unsubscribe();
      c.disconnect();
      const codes = (await Promise.all(ends)).map(({ code }) => code);
      expect(codes).toEqual(CHANNELS.map(() => UNSUBSCRIBE_CALLED));
      expect(subs.map(({ state }) => state)).toEqual(CHANNELS.map(() => 'unsubscribed'));
    }
  });

  test.each(['getToken', 'getData'] as const)('retries when %s of a connection fails once', async hook => {
    let calls = 0;
    const failing = async (): Promise<never> => {
      calls += 1;
      if (calls === 1) throw new Error('try again');
      return (hook === 'getToken' ? await token() : {}) as never; // each hook has a type of its own
    };
    const c = client(transport, { [hook]: failing, minReconnectDelay: 1 });
    c.connect();
    await c.ready(5000);
    expect(calls).toBe(2);
    await disconnected(c);
  });

  test.each(['getToken', 'getData'] as const)('retries when %s of a subscription fails once', async hook => {
    let calls = 0;
    const failing = async (): Promise<never> => {
      calls += 1;
      if (calls === 1) throw new Error('try again');
      return (hook === 'getToken' ? await token('test1') : {}) as never; // as above
    };
    const c = client(transport);
    const sub = c.newSubscription('test1', { [hook]: failing, minResubscribeDelay: 1 });
    c.connect();
    sub.subscribe();
    await sub.ready(5000);
    expect(calls).toBe(2);
    await disconnected(c);
  });

  test('ends when the application has no rights', async () => {
    const refuse = async (): Promise<string> => {
      throw new UnauthorizedError('');
    };
    const refused = client(transport, { getToken: refuse });
    const gone = event(refused, 'disconnected');
    refused.connect();
    expect((await gone).code).toBe(UNAUTHORIZED);

    const c = client(transport);
    const sub = c.newSubscription('test', { getToken: refuse });
    const ended = event(sub, 'unsubscribed');
    c.connect();
    sub.subscribe();
    await c.ready(5000);
    expect((await ended).code).toBe(UNAUTHORIZED);
    expect([sub.state, c.state]).toEqual(['unsubscribed', 'connected']);
    await disconnected(c);
  });
});

describe('websocket only', () => {
  test('an unsubscribe between the connect command and its reply', async () => {
    const c = client('websocket');
    const sub = c.newSubscription('test');
    const sent = Promise.withResolvers<void>();
    (c as unknown as NodeJS.EventEmitter).on('__centrifuge_debug:connect_frame_sent', () => {
      sub.unsubscribe();
      sent.resolve();
    });
    sub.subscribe();
    c.connect();
    await sent.promise;
    await c.ready();
    const live = event(sub, 'subscribed');
    sub.subscribe();
    await live;
    await disconnected(c);
  });

  test('a network that goes before the transport is open', async () => {
    const networkEventTarget = new EventTarget();
    const c = client('websocket', { networkEventTarget });
    (c as unknown as NodeJS.EventEmitter).once('__centrifuge_debug:transport_initialized', () => {
      networkEventTarget.dispatchEvent(new Event('offline'));
    });
    c.connect();
    await c.ready();
    await disconnected(c);
  });
});

describe.each(['websocket', 'http_stream'] as const)('%s, Protobuf', transport => {
  test('connects, subscribes, publishes bytes, sees who is there', async () => {
    const c = client(transport, { encoding: 'protobuf' });
    const gone = event(c, 'disconnected');
    c.connect();
    await c.ready(5000);
    const sub = c.newSubscription('test');
    const received = publications(sub, 1);
    sub.subscribe();
    await sub.ready(5000);
    const bytes = new TextEncoder().encode('{"my": "data"}');
    await sub.publish(bytes);
    expect(await received).toStrictEqual([bytes]);
    expect(Object.keys((await sub.presence()).clients).length).toBeGreaterThan(0);
    expect((await sub.presenceStats()).numUsers).toBeGreaterThan(0);
    const ended = event(sub, 'unsubscribed');
    sub.unsubscribe();
    expect((await ended).code).toBe(UNSUBSCRIBE_CALLED);
    c.disconnect();
    expect((await gone).code).toBe(DISCONNECT_CALLED);
  });
});
