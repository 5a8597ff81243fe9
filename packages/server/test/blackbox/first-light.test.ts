import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually, type MsgServer, runMsg } from '@msg/testkit';
import { State, SubscriptionState } from 'centrifuge';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { CuttableSockets } from '../support/cuttable-sockets.ts';
import { errorLine } from '../support/error-lines.ts';
import { rpcOf } from '../support/rpc.ts';
import { scrape } from '../support/scrape.ts';
import { startServer } from '../support/server.ts';
import { closeClients, follow, received, stockClient } from '../support/stock-client.ts';

const bytes = (text: string) => Buffer.from(text).toString('base64');

describe('a spawned msg serve and the stock client', () => {
  let server: MsgServer;
  let rpc: ReturnType<typeof rpcOf>;

  beforeAll(async () => {
    server = await startServer();
    rpc = rpcOf(server.url, server.token);
  });
  afterEach(closeClients);
  afterAll(() => server.stop());

  test('what the command line publishes reaches the subscriber with offset 1', async () => {
    const env = { MSG_SERVER: server.url, MSG_TOKEN: server.token };
    const opened = await runMsg(['channels', 'open', 'public:demo.room'], { env });
    expect(opened).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(opened.stdout)).toMatchObject({
      code: 'OK',
      type: 'msg.channel.open',
      payload: { name: 'public:demo.room', state: 'open', ttl: '30m0s', ttl_seconds: 1800 },
    });

    const client = stockClient(server.websocketUrl);
    const subscription = client.newSubscription('public:demo.room');
    const publications = received(subscription);
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);

    const args = ['publish', 'public:demo.room', '-d', '{"hello":"world"}'];
    const published = await runMsg(args, { env });
    expect(published).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(published.stdout)).toMatchObject({ kind: 'msg.publish.ack', payload: { offset: 1 } });

    await eventually('the publication arrives', () => publications.length > 0);
    expect(publications[0]).toMatchObject({
      channel: 'public:demo.room',
      data: { hello: 'world' },
      offset: 1,
    });
  });

  test('after a forced socket close the client recovers what it missed, in order, none twice', async () => {
    const name = 'public:demo.recovery';
    await rpc('OpenPublic', { name });
    const sockets = new CuttableSockets();
    const client = stockClient(server.websocketUrl, {
      websocket: sockets.websocket,
      minReconnectDelay: 300,
      maxReconnectDelay: 400,
    });
    const subscription = client.newSubscription(name);
    const publications = received(subscription);
    const recoveries: boolean[] = [];
    subscription.on('subscribed', context => recoveries.push(context.recovered));
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    await rpc('Publish', { name, data: bytes('1') });
    await eventually('the first publication', () => publications.length === 1);

    sockets.cut();
    await eventually('the client notices', () => client.state === State.Connecting);
    for (const text of ['2', '3', '4']) await rpc('Publish', { name, data: bytes(text) });
    await eventually('the client is subscribed again', () => recoveries.length === 2);
    await rpc('Publish', { name, data: bytes('5') });
    await eventually('all publications', () => publications.length === 5);
    expect(recoveries).toEqual([false, true]);
    expect(publications.map(publication => publication.data)).toEqual([1, 2, 3, 4, 5]);
    expect(publications.map(publication => publication.offset)).toEqual([1, 2, 3, 4, 5]);
  });

  test('garbage closes the socket with 3501, a message over 64 KiB with 1009', async () => {
    const closeCode = (message: string) =>
      new Promise<number>((resolve, reject) => {
        const socket = new WebSocket(server.websocketUrl);
        socket.on('open', () => socket.send(message));
        socket.on('close', code => resolve(code));
        socket.on('error', reject);
      });
    expect(await closeCode('garbage')).toBe(3501);
    expect(await closeCode(`{"id":1,"connect":{"name":"${'x'.repeat(70_000)}"}}`)).toBe(1009);
  });

  test('deleted and invalid channels are refused for good on the socket, with 102 and 107', async () => {
    await rpc('OpenPublic', { name: 'public:demo.over' });
    await rpc('DeleteChannel', { name: 'public:demo.over' });
    const client = stockClient(server.websocketUrl);
    client.connect();
    const refusals = await Promise.all(
      ['public:demo.over', 'public:Demo.room'].map(name => {
        const subscription = client.newSubscription(name);
        const refused = new Promise<{ code: number; reason: string }>(resolve => {
          subscription.on('unsubscribed', ({ code, reason }) => resolve({ code, reason }));
        });
        subscription.subscribe();
        return refused;
      }),
    );
    expect(refusals.map(refusal => refusal.code)).toEqual([102, 107]);
    expect(refusals[0]?.reason).toBe('MSG_CHANNEL_CLOSED: channel public:demo.over was deleted');
    expect(refusals[1]?.reason).toMatch(/^MSG_CHANNEL_INVALID: /);
  });

  test('deleting a channel ends its subscriptions with 2000', async () => {
    const name = 'public:demo.deleted';
    await rpc('OpenPublic', { name });
    const client = stockClient(server.websocketUrl);
    const { subscription, ended } = await follow(client, name);
    expect((await rpc('DeleteChannel', { name })).status).toBe(200);
    expect(await ended).toBe(2000);
    expect(subscription.state).toBe(SubscriptionState.Unsubscribed);
    expect((await rpc('GetChannel', { name })).status).toBe(404);
    expect((await rpc('OpenPublic', { name })).code).toBe('MSG_CHANNEL_NOT_FOUND');
  });

  test('healthz and manifest need no bearer', async () => {
    const health = await fetch(`${server.url}/healthz`);
    expect([health.status, await health.text()]).toEqual([200, 'ok']);
    expect(health.headers.get('content-type')).toMatch(/^text\/plain/);
    const manifest = await (await fetch(`${server.url}/manifest`)).json();
    expect(manifest).toMatchObject({
      type: 'msg.manifest',
      payload: { service: 'msg', transports: ['websocket', 'http_stream'] },
    });
    expect((await rpcOf(server.url)('Manifest', {})).body).toMatchObject({ type: 'msg.manifest' });
    expect((await fetch(`${server.url}/healthz`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${server.url}/elsewhere`)).status).toBe(404);
  });
});

describe('starting and stopping', () => {
  afterEach(closeClients);

  test.each(['SIGTERM', 'SIGINT'] as const)('%s: clients get 3001, exit 0 within 6 s', async signal => {
    const server = await startServer();
    try {
      const socket = new WebSocket(server.websocketUrl);
      const closed = new Promise<number>(resolve => socket.on('close', code => resolve(code)));
      await new Promise(resolve => socket.on('open', resolve));
      socket.send('{"id":1,"connect":{}}');
      await new Promise(resolve => socket.once('message', resolve));
      const start = performance.now();
      server.kill(signal);
      expect(await closed).toBe(3001);
      expect(await server.exited()).toEqual({ code: 0, signal: null });
      expect(performance.now() - start).toBeLessThan(6000);
    } finally {
      await server.stop();
    }
  });

  test.each([
    ['who neither answers nor finishes', '127.0.0.1'],
    ['who is refused and does not close', 'x'],
  ])('%s does not delay the exit twice', async (_, host) => {
    const server = await startServer();
    const port = Number(new URL(server.url).port);
    const silent = connect(port, '127.0.0.1');
    const slow = connect(port, '127.0.0.1');
    for (const socket of [silent, slow]) socket.on('error', () => {});
    try {
      silent.write(
        `GET /connection/websocket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      );
      await once(silent, 'data');
      slow.write(
        `POST /twirp/msg.MsgService/RefreshToken HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
          'Content-Length: 100\r\nExpect: 100-continue\r\n\r\n',
      );
      await once(slow, 'data');
      slow.write('{');
      const start = performance.now();
      server.kill('SIGTERM');
      expect(await server.exited()).toEqual({ code: 0, signal: null });
      expect(performance.now() - start).toBeLessThan(9000); // one grace of 5 s for all, not one after the other
    } finally {
      for (const socket of [silent, slow]) socket.destroy();
      await server.stop();
    }
  });

  test('a request whose headers do not come is ended', async () => {
    const server = await startServer();
    const slow = connect(Number(new URL(server.url).port), '127.0.0.1');
    try {
      slow.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-A');
      const [answer] = await once(slow, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      slow.destroy();
      await server.stop();
    }
  });

  test('a subscriber goes on by itself after a restart, once the channel is open; its position is not recovered', async () => {
    const name = 'public:demo.restart';
    const first = await startServer();
    const port = Number(new URL(first.url).port);
    let second: MsgServer | undefined;
    try {
      await rpcOf(first.url, first.token)('OpenPublic', { name });
      const client = stockClient(first.websocketUrl);
      const subscription = client.newSubscription(name);
      const publications = received(subscription);
      const waits: string[] = [];
      subscription.on('error', ({ error: { code, message } }) => waits.push(`${code} ${message}`));
      const answers: { wasRecovering: boolean; recovered: boolean }[] = [];
      subscription.on('subscribed', ({ wasRecovering, recovered }) =>
        answers.push({ wasRecovering, recovered }),
      );
      subscription.subscribe();
      client.connect();
      await subscription.ready(60_000);
      await rpcOf(first.url, first.token)('Publish', { name, data: bytes('1') });
      await eventually('the publication', () => publications.length === 1);

      await first.stop();
      second = await startServer({ port });
      await eventually('the subscriber waits', () => waits.length > 0);
      expect(waits[0]).toBe(`102 MSG_CHANNEL_CLOSED: channel ${name} is not open`);
      expect((await scrape(second.url)).value('msg_subscribes_waiting')).toBe(1);

      await rpcOf(second.url, second.token)('OpenPublic', { name });
      await eventually('subscribed again', () => answers.length === 2);
      expect(answers[1]).toEqual({ wasRecovering: true, recovered: false });
      expect((await scrape(second.url)).value('msg_subscribes_waiting')).toBe(0);
      await rpcOf(second.url, second.token)('Publish', { name, data: bytes('2') });
      await eventually('the next publication', () => publications.length === 2);
    } finally {
      await first.stop();
      await second?.stop();
    }
  });

  test('the bootstrap token is printed once, under the active key of the listening record', async () => {
    const server = await startServer({ args: ['--mgmt-subject', 'ops', '--mgmt-ttl', '90m'] });
    try {
      const { stderr } = server.output();
      expect(stderr.split(server.token)).toHaveLength(2);
      expect(stderr).toMatch(/^msg serve: bootstrap mgmt token \(expires [^)]+Z\):\n[^\n]+\n\n/m);
      const [header, payload] = server.token
        .split('.')
        .map(part => Buffer.from(part, 'base64url').toString());
      const { kid } = JSON.parse(header ?? '');
      expect(header).toBe(`{"alg":"HS256","kid":"${kid}","typ":"JWT"}`);
      const claims = JSON.parse(payload ?? '');
      expect(claims).toMatchObject({ sub: 'ops', typ: 'mgmt', jti: expect.stringMatching(/^[\w-]{22}$/) });
      expect(claims.exp - claims.iat).toBe(90 * 60);
      expect(stderr).toContain(`"active_key_id":"${kid}"`);
    } finally {
      await server.stop();
    }
  });

  test('a port in use, a bad address and a bad duration end with exit 1 and the reason', async () => {
    const server = await startServer();
    try {
      const taken = await runMsg(['serve', '--addr', new URL(server.url).host]);
      expect(taken).toMatchObject({ code: 1, stdout: '' });
      expect(taken.stderr).toMatch(
        /^error: MSG_INVALID_ARGUMENT: server\.addr: .*EADDRINUSE.*\n {2}try: --addr \S+:\d+, /m,
      );
      const bad = await runMsg(['serve', '--addr', 'nowhere']);
      expect(bad).toMatchObject({ code: 1, stdout: '' });
      expect(bad.stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: (?:server\.addr:|--addr must be) /);
      const ttl = await runMsg(['serve', '--addr', '127.0.0.1:0'], { env: { MSG_MGMT_TTL: 'soon' } });
      expect(errorLine(ttl.stderr)).toBe(
        'error: MSG_INVALID_ARGUMENT: MSG_MGMT_TTL must be a duration such as 1h30m; got "soon"',
      );
    } finally {
      await server.stop();
    }
  });
});
