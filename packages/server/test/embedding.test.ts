import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { MemoryRevocationStore, Msg, type MsgOptions } from '@msg/server';
import { eventually, RawClient, WebhookReceiver } from '@msg/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { parseKeyring } from '#src/auth/keys/document.ts';
import { embed, stopEmbedded } from './support/embedded.ts';
import { temporaryFolder } from './support/folders.ts';
import { keyringDocument, TestKey } from './support/minting.ts';
import { rpcOf } from './support/rpc.ts';
import { closeClients, codeOf, outcome, received, stockClient } from './support/stock-client.ts';

afterEach(async () => {
  closeClients();
  await stopEmbedded();
});

describe('msg embedded in an application', () => {
  test('shares the server: its own routes, the RPC, the socket', async () => {
    const { msg, url, websocketUrl } = await embed();
    expect(await (await fetch(`${url}/app`)).text()).toBe('the application');
    expect(await (await fetch(`${url}/healthz`)).text()).toBe('ok');
    await msg.channels.openPublic('public:app.news');
    const client = stockClient(websocketUrl);
    const subscription = client.newSubscription('public:app.news');
    const publications = received(subscription);
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    expect(await msg.presence('public:app.news')).toBe(1);
    const ack = await msg.publish('public:app.news', new TextEncoder().encode('{"n":1}'));
    expect(ack).toEqual({ offset: 1, epoch: expect.stringMatching(/.+/), suppressed: false });
    await eventually('the publication', () => publications.length === 1);
    const { token } = msg.tokens.issueManagement('app');
    expect(msg.tokens.verify('mgmt', token)).toMatchObject({ sub: 'app', typ: 'mgmt' });
    expect((await rpcOf(url, token)('ListChannels', {})).status).toBe(200);
  });

  test('nothing is safe before run, and it runs once', async () => {
    const msg = await Msg.create();
    await msg.channels.openPublic('public:app.early');
    const early = msg.publish('public:app.early', new Uint8Array());
    await expect(early).rejects.toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
    const controller = new AbortController();
    const ended = msg.run(controller.signal);
    await msg.ready();
    await expect(msg.run(controller.signal)).rejects.toMatchObject({ code: 'MSG_BROKER_INTERNAL' });
    controller.abort();
    await ended;
    const late = msg.publish('public:app.early', new Uint8Array());
    await expect(late).rejects.toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
  });

  test('a start that fails closes what was opened and flushes the last spans', async () => {
    const collector = new WebhookReceiver();
    const server = createServer();
    try {
      const webtransport = {
        addr: '127.0.0.1:0',
        certFile: '/nowhere/cert.pem',
        keyFile: '/nowhere/key.pem',
      };
      const msg = await Msg.create({ otlpEndpoint: await collector.listen(), webtransport });
      server.on('request', msg.handler());
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo; // a TCP server's address
      await rpcOf(`http://127.0.0.1:${port}`, msg.tokens.issueManagement().token)('ListChannels', {});
      const failed = msg.run(new AbortController().signal);
      await expect(failed).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
      expect(collector.received.length).toBe(1);
    } finally {
      server.close();
      await collector.close();
    }
  });

  test('expired private channels kick their subscribers, closed public ones keep theirs', async () => {
    const { msg, websocketUrl } = await embed({ sweepIntervalMs: 20 });
    await msg.channels.openPublic('public:app.idle', 400);
    const { access_token } = await msg.channels.createPrivate({ name: 'private:app.idle.1', ttlMs: 400 });
    const events = msg.channels.events(10);
    const client = stockClient(websocketUrl, { token: access_token });
    const [open, closed] = ['public:app.idle', 'private:app.idle.1'].map(name =>
      client.newSubscription(name),
    );
    const kicked: number[] = [];
    closed?.on('unsubscribed', ({ code }) => kicked.push(code));
    open?.on('unsubscribed', ({ code }) => kicked.push(-code));
    open?.subscribe();
    closed?.subscribe();
    client.connect();
    await Promise.all([open?.ready(60_000), closed?.ready(60_000)]);
    await eventually('the sweep', () => kicked.length > 0);
    expect(kicked).toEqual([2000]);
    expect(await msg.channels.get('public:app.idle')).toMatchObject({ state: 'closed' });
    events.cancel();
    const seen: string[] = [];
    for await (const event of events) seen.push(`${event.kind} ${event.name}`);
    expect(seen.sort()).toEqual(['closed public:app.idle', 'deleted private:app.idle.1']);

    const second = stockClient(websocketUrl);
    const again = second.newSubscription('public:app.idle');
    const answer = outcome(again);
    again.subscribe();
    second.connect();
    expect(await answer).toBe('waiting');
  });

  test('channel options reach the clients', async () => {
    const { msg, websocketUrl } = await embed({
      channelOptions: [
        { pattern: 'public:app.seen', presence: true },
        { pattern: 'public:app.plain', historySize: 0 },
      ],
    });
    await msg.channels.openPublic('public:app.seen');
    await msg.channels.openPublic('public:app.plain');
    const client = stockClient(websocketUrl);
    const seen = client.newSubscription('public:app.seen');
    const plain = client.newSubscription('public:app.plain');
    const recoverable = new Promise<boolean>(resolve =>
      plain.on('subscribed', context => resolve(context.recoverable)),
    );
    seen.subscribe();
    plain.subscribe();
    client.connect();
    await Promise.all([seen.ready(60_000), plain.ready(60_000)]);
    expect((await seen.presenceStats()).numClients).toBe(1);
    expect(await recoverable).toBe(false);
    expect(await codeOf(plain.history({ limit: 1 }))).toBe(108);
    expect(await msg.publish('public:app.plain', new Uint8Array())).toEqual({
      offset: 0,
      epoch: '',
      suppressed: false,
    });
  });

  test('a cache channel gives a new subscriber the latest publication at once', async () => {
    const { msg, websocketUrl } = await embed({
      channels: { open: [{ name: 'public:app.price', recovery: 'cache' }] },
    });
    for (const price of ['1', '2', '3'])
      await msg.publish('public:app.price', new TextEncoder().encode(price));
    const client = stockClient(websocketUrl);
    const subscription = client.newSubscription('public:app.price');
    const publications = received(subscription);
    subscription.subscribe();
    client.connect();
    await eventually('the latest one', () => publications.length > 0);
    await msg.publish('public:app.price', new TextEncoder().encode('4'));
    await eventually('the next one', () => publications.length > 1);
    expect(publications.map(({ data, offset }) => [data, offset])).toEqual([
      [3, 3],
      [4, 4],
    ]);
  });

  test('an rpc hook answers clients', async () => {
    const { websocketUrl } = await embed({
      clientRpc: ({ method, data }) =>
        new TextEncoder().encode(JSON.stringify([method, JSON.parse(Buffer.from(data).toString())])),
    });
    const client = stockClient(websocketUrl);
    client.connect();
    expect((await client.rpc('sum', [1, 2])).data).toEqual(['sum', [1, 2]]);
  });

  test('revocation only with a store', async () => {
    const { msg } = await embed();
    await expect(msg.tokens.revoke('j')).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    const other = await embed({ revocationStore: new MemoryRevocationStore(systemClock) });
    await other.msg.tokens.revoke('j');
    expect(other.msg.manifest().payload.revocation_store_enabled).toBe(true);
  });

  describe('after a restart that forgets what was revoked', () => {
    /** Two services with one ring, the second started a while after the first. */
    async function restarted(options: (clock: ManualClock) => MsgOptions) {
      const clock = new ManualClock();
      const keySet = parseKeyring(keyringDocument(new TestKey()));
      const first = await embed({ clock, keySet, ...options(clock) });
      const old = await first.msg.channels.createPrivate({ name: 'private:app.a.1', subject: 'u' });
      const tokens = { ...old, mgmt: first.msg.tokens.issueManagement().token };
      await clock.advance(1000);
      const second = await embed({ clock, keySet, ...options(clock) });
      await second.msg.channels.createPrivate({ name: 'private:app.a.1' });
      return { ...tokens, clock, ...second };
    }
    const expired = expect.objectContaining({ code: 'MSG_AUTH_EXPIRED' });

    test('tokens of before are expired, so that clients ask for new ones', async () => {
      const { msg, url, websocketUrl, access_token, refresh_token, mgmt } = await restarted(() => ({
        revocationStore: 'auto',
      }));
      expect(() => msg.tokens.verify('access', access_token)).toThrow(expired);
      await expect(msg.tokens.refresh(refresh_token)).rejects.toEqual(expired);
      const answer = await rpcOf(url, mgmt)('ListKeys', {});
      expect([answer.status, answer.code]).toEqual([401, 'MSG_AUTH_EXPIRED']);
      const client = await RawClient.open(websocketUrl);
      expect((await client.request({ connect: { token: access_token } })).error?.code).toBe(109);
      client.websocket.terminate();
      const { access_token: fresh } = await msg.channels.createPrivate({ name: 'private:app.b.1' });
      expect(msg.tokens.verify('access', fresh)).toMatchObject({ typ: 'access' });
    });

    test('where nothing can be revoked, only refresh tokens are: one of them may have been used', async () => {
      const { msg, url, access_token, refresh_token, mgmt } = await restarted(() => ({}));
      expect(msg.tokens.verify('access', access_token)).toMatchObject({ typ: 'access' });
      expect((await rpcOf(url, mgmt)('ListKeys', {})).status).toBe(200);
      await expect(msg.tokens.refresh(refresh_token)).rejects.toEqual(expired);
    });

    test('with a state directory, and with stores of the embedder, all stay good', async () => {
      const stateDir = await temporaryFolder();
      const kept = await restarted(() => ({ revocationStore: 'auto', stateDir }));
      expect(kept.msg.tokens.verify('access', kept.access_token)).toMatchObject({ typ: 'access' });
      expect(await kept.msg.tokens.refresh(kept.refresh_token)).toMatchObject({ rotated: true });
      const stores = new Map<string, boolean>();
      const own = await restarted(() => ({
        revocationStore: {
          shared: false,
          revokeToken: async jti => void stores.set(jti, true),
          revokeUser: async () => {},
          lookup: async jti => ({ tokenRevoked: stores.has(jti), userCutoff: undefined }),
        },
        refreshStore: {
          redeem: async () => true,
          revokeFamily: async () => {},
          isFamilyRevoked: async () => false,
        },
      }));
      expect(own.msg.tokens.verify('mgmt', own.mgmt)).toMatchObject({ typ: 'mgmt' });
      expect(await own.msg.tokens.refresh(own.refresh_token)).toMatchObject({ rotated: true });
    });
  });

  test('a clock that lacks a member is refused, by name', async () => {
    const { monotonic: _, ...clock } = systemClock;
    await expect(Msg.create({ clock: clock as typeof systemClock })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: 'clock.monotonic must be a function',
    });
  });

  test('two services live in one process and do not know each other', async () => {
    const [one, two] = [await embed(), await embed()];
    await one.msg.channels.openPublic('public:app.mine');
    await expect(two.msg.channels.get('public:app.mine')).rejects.toMatchObject({
      code: 'MSG_CHANNEL_NOT_FOUND',
    });
    expect(() => two.msg.tokens.verify('mgmt', one.msg.tokens.issueManagement().token)).toThrow(
      expect.objectContaining({ code: 'MSG_AUTH_DENIED' }),
    );
  });
});
