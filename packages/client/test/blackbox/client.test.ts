import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { MsgClient, type MsgClientOptions, MsgError, type StateChange } from '#src/index.ts';
import { MemoryTokenStore } from '#src/stores/token-store.ts';
import { type Service, startService } from './service.ts';

const PUBLIC = 'public:shop.news';
const PRIVATE = 'private:shop.order.1';
const now = () => Math.floor(Date.now() / 1000);

let service: Service;
const clients: MsgClient[] = [];
const servers: Server[] = [];

beforeAll(async () => {
  service = await startService();
  await service.call('OpenPublic', { name: PUBLIC });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
});
afterAll(() => service.stop());

function clientOf(options: Partial<MsgClientOptions> = {}): MsgClient {
  const client = new MsgClient({
    endpoint: service.url,
    centrifugeOptions: { websocket: WebSocket, minReconnectDelay: 20, maxReconnectDelay: 100 },
    ...options,
  });
  clients.push(client);
  return client;
}

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'fine',
    (error: unknown) => (error instanceof MsgError ? error.code : String(error)),
  );

/** The epoch that a first subscriber of a channel is told. */
async function epochOf(client: MsgClient, name: string): Promise<string> {
  const subscription = client.newSubscription(name);
  const told = new Promise<string>(resolve => {
    subscription.on('subscribed', ({ streamPosition }) => resolve(streamPosition?.epoch ?? ''));
  });
  subscription.subscribe();
  const epoch = await told;
  client.raw().removeSubscription(subscription);
  return epoch;
}

/** A service that refuses so many connections for this reason, as soon as they ask; answers its address. */
async function refusing(times: number, code: number, reason: string): Promise<string> {
  let left = times;
  const http = createServer();
  servers.push(http);
  new WebSocketServer({ server: http }).on('connection', socket =>
    socket.once('message', data => {
      const { id } = JSON.parse(String(data)) as { id: number };
      if (left-- > 0) socket.close(code, reason);
      else socket.send(JSON.stringify({ id, connect: { client: 'c', version: '1' } }));
    }),
  );
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** Something else than the service; answers its address. */
async function serve(status: number, body: string, seen: string[] = []): Promise<string> {
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(status).end(body);
  });
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a client without tokens', () => {
  test('connects, reads public channels, and gets a code for what is not allowed', async () => {
    const client = clientOf();
    expect(client.raw().state).toBe('disconnected');
    await Promise.all([client.connect(), client.connect()]);
    expect(await client.tokens()).toBeNull();
    const received: { n: number }[] = [];
    const subscription = client.typedSubscribe<{ n: number }>(PUBLIC);
    subscription.on('publication', ({ data }) => received.push(data));
    subscription.subscribe();
    await subscription.ready(60_000);
    await service.call('Publish', { name: PUBLIC, data: { n: 1 } });
    await eventually('the publication', () => received[0]?.n === 1);
    expect(await codeOf(client.publish(PUBLIC, 1))).toBe('MSG_AUTH_DENIED');
    expect(await codeOf(client.publish('news', 1))).toBe('MSG_CHANNEL_INVALID');
    expect(() => client.newSubscription('news')).toThrow(
      expect.objectContaining({ code: 'MSG_CHANNEL_INVALID' }),
    );
    await service.privateChannel('private:shop.foreign.1');
    const refused = client.newSubscription('private:shop.foreign.1');
    const ended = new Promise<number>(resolve => refused.on('unsubscribed', ({ code }) => resolve(code)));
    refused.subscribe();
    expect(await ended).toBe(103);
  });

  test('gets the bytes of a payload that is not UTF-8: recovered, live and from the history', async () => {
    const name = 'public:shop.pictures';
    await service.call('OpenPublic', { name });
    const pictures = [Buffer.of(0x89, 0x50, 0xff, 0x00), Buffer.alloc(300_000, 0xfe), Buffer.from('"/w=="')];
    const publish = async (): Promise<void> => {
      for (const bytes of pictures) await service.call('Publish', { name, data: bytes.toString('base64') });
    };
    await publish();
    const client = clientOf();
    await client.connect();
    const received: unknown[] = [];
    const epoch = await epochOf(client, name);
    const subscription = client.newSubscription(name, { since: { offset: 0, epoch } });
    subscription.on('publication', ({ data }) => received.push(data));
    subscription.subscribe();
    await subscription.ready(5000);
    await publish();
    await eventually('all of them', () => received.length === 6);
    const expected = [new Uint8Array(pictures[0] as Buffer), new Uint8Array(pictures[1] as Buffer), '/w=='];
    expect(received).toEqual([...expected, ...expected]);
    const { publications } = await subscription.history({ limit: 3 });
    expect(publications.map(({ data }) => data)).toEqual(expected);
  });

  test('is told that a subscription waits for its channel, which it gets when the channel opens', async () => {
    const name = 'public:shop.later';
    const client = clientOf();
    await client.connect();
    const waits: string[] = [];
    client.on('waiting', channel => waits.push(channel));
    const subscription = client.newSubscription(name, { minResubscribeDelay: 20, maxResubscribeDelay: 50 });
    expect(client.statusOf(subscription)).toBe('unsubscribed');
    subscription.subscribe();
    expect(client.statusOf(subscription)).toBe('subscribing');
    let retries = 0;
    subscription.on('error', () => retries++);
    await eventually('the subscription retries', () => retries > 2);
    expect(client.statusOf(subscription)).toBe('waiting');
    expect(waits).toEqual([name]);
    await service.call('OpenPublic', { name });
    await subscription.ready(60_000);
    expect(client.statusOf(subscription)).toBe('subscribed');
  });

  test.each([undefined, '', 'shop.example', 'ftp://shop.example'])('%j is not an endpoint', endpoint => {
    expect(() => new MsgClient({ endpoint: endpoint as string })).toThrow(
      expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' }),
    );
  });

  test('uses its own transports when the manifest is unavailable, and fetches none when manifest is false', async () => {
    const failing = clientOf({
      fetch: (url, init) =>
        url.endsWith('/manifest')
          ? Promise.reject(new Error('blocked'))
          : (fetch(url, init as object) as never),
    });
    const told: string[] = [];
    failing.on('manifestUnavailable', ({ code }) => told.push(code));
    await failing.connect();
    expect(told).toEqual(['MSG_BROKER_NOT_READY']);
    const asked: string[] = [];
    const without = clientOf({
      manifest: false,
      fetch: (url, init) => {
        asked.push(url);
        return fetch(url, init as object) as never;
      },
    });
    await without.connect();
    expect(asked).toEqual([]);
  });

  test('refuses a manifest of another major version, and an answer that is not a manifest', async () => {
    for (const [body, problem] of [
      ['{"format_version":"2.0","payload":{}}', /speaks format 2\.0/],
      ['{"payload":{}}', /cannot be read/],
      ['nonsense', /cannot be read/],
    ] as const) {
      const client = clientOf({ endpoint: await serve(200, body) });
      await expect(client.connect()).rejects.toMatchObject({
        code: 'MSG_INTERNAL',
        message: expect.stringMatching(problem),
      });
    }
  });

  test('fetches the manifest once, until it is invalidated', async () => {
    const seen: string[] = [];
    const endpoint = await serve(
      200,
      '{"format_version":"1.3","payload":{"transports":["websocket"]}}',
      seen,
    );
    const client = clientOf({ endpoint });
    expect((await client.fetchManifest()).transports).toEqual(['websocket']);
    await client.fetchManifest();
    client.invalidateManifest();
    await client.fetchManifest();
    expect(seen).toEqual(['/manifest', '/manifest']);
  });

  test('a connect after a disconnect shares the stock client with the one before, and is the only one', async () => {
    const manifest = Promise.withResolvers<void>();
    let asked = 0;
    const client = clientOf({
      fetch: async (url, init) => {
        asked++;
        await manifest.promise;
        return fetch(url, init as object) as never;
      },
    });
    const overtaken = codeOf(client.connect());
    client.disconnect();
    const wanted = client.connect();
    await eventually('the manifest is asked for', () => asked > 0);
    manifest.resolve();
    expect(await overtaken).toBe('MSG_INTERNAL');
    const stock = client.raw();
    expect(client.connect()).toBe(wanted);
    await wanted;
    expect(client.raw()).toBe(stock);
    expect(stock.state).toBe('connected');
  });

  test('waits for a server that comes late', async () => {
    let attempts = 0;
    const closed = createServer().on('connection', socket => {
      attempts++;
      socket.destroy();
    });
    await new Promise<void>(resolve => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo; // a TCP server's address
    const client = clientOf({ endpoint: `http://127.0.0.1:${port}` });
    let connected = false;
    const connecting = client.connect().then(() => {
      connected = true;
    });
    await eventually('a second attempt', () => attempts > 1);
    expect(connected).toBe(false);
    await new Promise(resolve => closed.close(resolve));
    const late = await startService({ port });
    await connecting;
    await late.stop();
  });
});

/** A TCP port that accepts, and closes at once. */
async function deadEnd(): Promise<{ port: number; attempts: () => number; close(): Promise<unknown> }> {
  let attempts = 0;
  const server = createServer().on('connection', socket => {
    attempts++;
    socket.destroy();
  });
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address
  return { port, attempts: () => attempts, close: () => new Promise(resolve => server.close(resolve)) };
}

describe('before the connection', () => {
  it('everything may be called in any order', async () => {
    const client = clientOf(await service.privateChannel('private:shop.any.order'));
    const received: unknown[] = [];
    const subscription = client.newSubscription('private:shop.any.order');
    subscription.on('publication', ({ data }) => received.push(data));
    subscription.subscribe();
    const published = subscription.ready(20_000).then(() => client.publish('private:shop.any.order', 2));
    const first = client.publish('private:shop.any.order', 1);
    const stock = client.raw();
    expect([client.state, stock.state]).toEqual(['idle', 'disconnected']);
    await client.connect();
    await Promise.all([first, published]);
    expect(client.raw()).toBe(stock);
    await eventually('what it published itself', () => received.includes(2));
  });

  it('a publish gives up after 5 s, and at once when the connection ended for good', async () => {
    const client = clientOf();
    const began = performance.now();
    expect(await codeOf(client.publish(PUBLIC, 1))).toBe('MSG_BROKER_NOT_READY');
    expect(performance.now() - began).toBeGreaterThan(4_900);
    const ended = clientOf({ accessToken: 'x', accessExp: 1 });
    expect(await codeOf(ended.connect())).toBe('MSG_AUTH_EXPIRED');
    expect(await codeOf(ended.publish(PUBLIC, 1))).toBe('MSG_AUTH_EXPIRED');
  });

  it('a connect waits as long as its caller wants to, while the client goes on trying', async () => {
    const { port, attempts, close } = await deadEnd();
    const client = clientOf({ endpoint: `http://127.0.0.1:${port}` });
    const reasons: string[] = [];
    client.on('state', ({ state, attempt }) => reasons.push(`${state} ${attempt}`));
    expect(await codeOf(client.connect({ timeoutMs: 50 }))).toBe('MSG_BROKER_NOT_READY');
    const abort = new AbortController();
    const waiting = client.connect({ signal: abort.signal });
    abort.abort(new Error('the page was left'));
    await expect(waiting).rejects.toThrow('the page was left');
    await expect(client.connect({ signal: abort.signal })).rejects.toThrow('the page was left');
    const before = attempts();
    await eventually('it goes on', () => attempts() > before + 2 && client.state === 'retrying');
    expect(reasons.slice(0, 2)).toEqual(['connecting 0', 'retrying 1']);
    await close();
    const late = await startService({ port });
    await client.connect({ timeoutMs: 30_000 });
    expect(client.state).toBe('connected');
    expect(reasons.at(-1)).toBe('connected 0');
    client.disconnect();
    await late.stop();
  });

  it('a connection that could not begin is disconnected, with the reason', async () => {
    const client = clientOf({ endpoint: await serve(200, 'nonsense') });
    const changes: StateChange[] = [];
    client.on('state', change => changes.push(change));
    expect(await codeOf(client.connect())).toBe('MSG_INTERNAL');
    expect(changes.map(({ state, reason }) => [state, reason])).toEqual([
      ['connecting', 'connect called'],
      ['disconnected', 'the manifest cannot be read'],
    ]);
  });
});

describe('credentials', () => {
  const create = (name: string, subject = 'u-1') =>
    service.call('CreatePrivate', { name, subject, ttl_seconds: 3600 });
  const camel = (credentials: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(credentials).map(([name, value]) => [
        name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
        value,
      ]),
    );

  it.each(['as it is', 'in camelCase'])('the answer of CreatePrivate %s', async spelling => {
    const name = `private:shop.whole.${spelling.length}`;
    const created = await create(name);
    const client = clientOf({ credentials: (spelling === 'as it is' ? created : camel(created)) as never });
    await client.connect();
    await client.publish(name, 1);
    expect((await client.tokens())?.refreshToken).toBe(created['refresh_token']);
  });

  it('the answer of RefreshToken', async () => {
    const name = 'private:shop.whole.refreshed';
    const created = await create(name);
    const credentials = await service.call('RefreshToken', { refresh_token: created['refresh_token'] });
    const client = clientOf({ credentials: credentials as never });
    await client.connect();
    await client.publish(name, 1);
  });

  it('getCredentials is asked at the first connect, and not again while the tokens serve', async () => {
    const name = 'private:shop.asked.first';
    const created = await create(name);
    let asked = 0;
    const getCredentials = async () => {
      if (asked++ === 0) throw new TypeError('the backend restarts');
      return created as never;
    };
    const client = clientOf({ getCredentials });
    await client.connect();
    await client.publish(name, 1);
    client.disconnect();
    await client.connect();
    expect(asked).toBe(2);
  });

  it('getCredentials is asked when a refresh token was used before; a second dead pair ends', async () => {
    const name = 'private:shop.asked.again';
    const used = await create(name);
    await service.call('RefreshToken', { refresh_token: used['refresh_token'] });
    const dead = { ...used, access_expires_unix: 1 } as never;
    const alive = await create('private:shop.asked.alive');
    let asked = 0;
    const answer = (credentials: unknown) => async () => {
      asked++;
      return credentials as never;
    };
    const client = clientOf({ credentials: dead, getCredentials: answer(alive) });
    await client.connect();
    expect(asked).toBe(1);
    expect((await client.tokens())?.accessToken).toBe(alive['access_token']);

    const hopeless = clientOf({ credentials: dead, getCredentials: answer(dead) });
    const terminal: string[] = [];
    hopeless.on('terminal', ({ code }) => terminal.push(code));
    await hopeless.connect(); // the service still takes its access token
    await eventually('the end', () => terminal.length > 0);
    expect([terminal, asked, hopeless.state]).toEqual([['MSG_AUTH_DENIED'], 2, 'disconnected']);
  });

  it.each([
    ['answers no credentials', async () => ({}), 'MSG_INVALID_ARGUMENT'],
    ['refuses', () => Promise.reject(new MsgError('MSG_AUTH_DENIED', 'signed out')), 'MSG_AUTH_DENIED'],
  ])('a getCredentials that %s ends the connection', async (_, getCredentials, code) => {
    const client = clientOf({ getCredentials: getCredentials as never });
    const changes: StateChange[] = [];
    client.on('state', change => changes.push(change));
    expect(await codeOf(client.connect())).toBe(code);
    expect(changes.at(-1)?.state).toBe('disconnected');
  });
});

describe('a client with tokens', () => {
  test('reads and publishes in its private channel', async () => {
    const tokens = await service.privateChannel(PRIVATE);
    const client = clientOf(tokens);
    await client.connect();
    const received: unknown[] = [];
    const subscription = client.newSubscription(PRIVATE);
    subscription.on('publication', ({ data }) => received.push(data));
    subscription.subscribe();
    await subscription.ready(60_000);
    await client.publish(PRIVATE, { hello: 'world' });
    await eventually('its own publication', () => received.length === 1);
    expect(await client.tokens()).toEqual(tokens);
  });

  test('refreshes first when its access token has expired, and does not go back to an older pair of the family', async () => {
    const tokens = await service.privateChannel('private:shop.order.2');
    const tokenStore = new MemoryTokenStore();
    const before = await service.rotations();
    const client = clientOf({ ...tokens, accessExp: 0, tokenStore });
    await client.connect();
    const pair = await client.tokens();
    expect(pair?.accessToken).not.toBe(tokens.accessToken);
    expect(pair?.accessExp).toBeGreaterThan(now() + 200);
    expect(await service.rotations()).toBe(before + 1);
    client.disconnect();
    // A page that is loaded again comes with the pair of its first load.
    const again = clientOf({ ...tokens, accessExp: 0, tokenStore });
    await again.connect();
    expect(await again.tokens()).toEqual(pair);
    expect(await service.rotations()).toBe(before + 1);
  });

  test.each([
    ['without a refresh token', ''],
    ['of no family', 'opaque'],
  ])('a given pair %s replaces the one that the store has', async (_, refreshToken) => {
    const { accessToken, accessExp } = await service.privateChannel(
      `private:shop.given.${refreshToken || 'none'}`,
    );
    const tokenStore = new MemoryTokenStore();
    await tokenStore.set({ accessToken: 'of-before', refreshToken, accessExp: 1, refreshExp: 0 });
    const client = clientOf({ accessToken, refreshToken, accessExp, tokenStore });
    await client.connect();
    expect((await client.tokens())?.accessToken).toBe(accessToken);
  });

  test.each([
    [1, 'the store'],
    [2, 'the manifest'],
    [3, 'the timer of the refresh'],
  ])('a disconnect at step %i of a connect, %s, stands until the next connect', async step => {
    const tokens = await service.privateChannel(`private:shop.left.${step}`);
    let steps = 0;
    const leave = (): void => {
      if (++steps === step) client.disconnect();
    };
    const tokenStore = new MemoryTokenStore();
    tokenStore.get = () => {
      leave();
      return MemoryTokenStore.prototype.get.call(tokenStore);
    };
    const client = clientOf({
      ...tokens,
      tokenStore,
      fetch: (url, init) => {
        leave();
        return fetch(url, init as object) as never;
      },
    });
    expect(await codeOf(client.connect())).toBe('MSG_INTERNAL');
    expect(client.raw().state).toBe('disconnected');
    await client.connect();
    expect(client.raw().state).toBe('connected');
  });

  test('is signed out when another client used its refresh token', async () => {
    const tokens = { ...(await service.privateChannel('private:shop.order.3')), accessExp: 0 };
    await clientOf(tokens).connect();
    const late = clientOf(tokens);
    const told: string[] = [];
    late.on('terminal', ({ code }) => told.push(code));
    expect(await codeOf(late.connect())).toBe('MSG_AUTH_DENIED');
    expect(told).toEqual(['MSG_AUTH_DENIED']);
    expect(await late.tokens()).toBeNull();
    expect(late.raw().state).toBe('disconnected');
  });

  test('without a refresh token ends with its access token', async () => {
    const { accessToken } = await service.privateChannel('private:shop.order.4');
    const client = clientOf({ accessToken, accessExp: now() - 1 });
    const told: string[] = [];
    client.on('terminal', ({ code }) => told.push(code));
    expect(await codeOf(client.connect())).toBe('MSG_AUTH_EXPIRED');
    expect(told).toEqual(['MSG_AUTH_EXPIRED']);
  });

  test('tries again while the service cannot answer a refresh', async () => {
    const tokens = await service.privateChannel('private:shop.order.5');
    let refused = 0;
    const client = clientOf({
      ...tokens,
      accessExp: 0,
      fetch: (url, init) => {
        if (url.endsWith('/RefreshToken') && refused++ < 2) return Promise.reject(new Error('no network'));
        return fetch(url, init as object) as never;
      },
    });
    await client.connect();
    expect(refused).toBe(3);
  });

  test('keeps the only refresh token that works when the store fails', async () => {
    const tokens = await service.privateChannel('private:shop.order.6');
    const tokenStore = new MemoryTokenStore();
    await tokenStore.set({ ...tokens, accessExp: 0 });
    tokenStore.set = () => Promise.reject(new Error('quota'));
    const client = clientOf({ tokenStore });
    await client.connect();
    expect((await client.tokens())?.refreshToken).not.toBe(tokens.refreshToken);
  });
});

test('the schema registry: fetched once, followed, fetched again after a gap', async () => {
  const asked: string[] = [];
  const client = clientOf({
    fetch: (url, init) => {
      asked.push(url);
      return fetch(url, init as object) as never;
    },
  });
  await client.connect();
  const patterns = async () =>
    (await client.schemas()).patterns.map(({ pattern, version }) => `${pattern} ${version}`);
  const fetches = () => asked.filter(url => url.endsWith('/msg/schemas')).length;
  expect(await patterns()).toEqual([]);
  const broadcast = client.raw().getSubscription('public:msg.registry.schemas');
  await broadcast?.ready(60_000);
  await service.call('RegisterSchema', { schema: { pattern: 'b' } });
  await service.call('RegisterSchema', { schema: { pattern: 'a' } });
  await service.call('UpdateSchema', { schema: { pattern: 'b' } });
  await eventually('both', async () => (await patterns()).join() === 'a 1,b 2');
  await service.call('DeregisterSchema', { pattern: 'a' });
  await eventually('one is gone', async () => (await patterns()).join() === 'b 2');
  expect(fetches()).toBe(1);

  // What a recovery brings is no gap.
  client.disconnect();
  await service.call('RegisterSchema', { schema: { pattern: 'c' } });
  await client.connect();
  await eventually('what it missed', async () => (await patterns()).join() === 'b 2,c 1');
  expect(fetches()).toBe(1);

  // More than the history holds is one.
  client.disconnect();
  for (let n = 0; n < 110; n++) await service.call('UpdateSchema', { schema: { pattern: 'c' } });
  await client.connect();
  await eventually('the registry as it is', async () => (await patterns()).join() === 'b 2,c 111');
  expect(fetches()).toBe(2);
});

test('a client that was held back while it connected comes back, and its connect is fulfilled', async () => {
  const client = clientOf({ endpoint: await refusing(2, 3502, 'stale'), manifest: false });
  const states: string[] = [];
  client.on('state', ({ state }) => states.push(state));
  await client.connect();
  expect(client.state).toBe('connected');
  expect(states).not.toContain('disconnected');
});

test('a client that broke the protocol stays away', async () => {
  const client = clientOf({ endpoint: await refusing(1, 3501, 'bad request'), manifest: false });
  expect(await codeOf(client.connect())).toBe('MSG_INTERNAL');
  expect(client.state).toBe('disconnected');
});
