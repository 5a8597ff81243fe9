import { eventually, type MsgServer } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rpcOf } from '../support/rpc.ts';
import { SECRET_PAYLOAD, startServer } from '../support/server.ts';
import { closeClients, codeOf, received, stockClient, trySubscribe } from '../support/stock-client.ts';

interface Scope {
  readonly pattern: string;
  readonly verbs: readonly string[];
  readonly deny?: boolean;
}

describe('access to channels over the socket', () => {
  let server: MsgServer;
  let rpc: ReturnType<typeof rpcOf>;
  let serial = 0;

  beforeAll(async () => {
    server = await startServer();
    rpc = rpcOf(server.url, server.token);
  });
  afterEach(closeClients);
  afterAll(() => server.stop());

  const create = async (scopes: readonly Scope[] = [], subject = 'u-1') => {
    const name = `private:shop.order.${++serial}`;
    const { body } = await rpc('CreatePrivate', { name, subject, scopes });
    return { name, access: String(body['access_token']), refresh: String(body['refresh_token']) };
  };
  const subscribe = (channel: string, tokens?: { connect?: string; own?: string }) =>
    trySubscribe(server.websocketUrl, channel, tokens);

  test('a public subscribe needs no token; presence counts it while it lives', async () => {
    const name = 'public:shop.presence';
    await rpc('OpenPublic', { name });
    const client = stockClient(server.websocketUrl);
    const subscription = client.newSubscription(name);
    const publications = received(subscription);
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    expect((await rpc('Presence', { name })).body).toEqual({ subscribers: 1 });
    await rpc('Publish', { name, data: { text: SECRET_PAYLOAD } });
    await eventually('the publication', () => publications.length === 1);
    expect(publications[0]?.data).toEqual({ text: SECRET_PAYLOAD });
    client.disconnect();
    await eventually(
      'nobody is left',
      async () => (await rpc('Presence', { name })).body['subscribers'] === 0,
    );
  });

  test('a private subscribe: which tokens open it', async () => {
    const { name, access, refresh } = await create();
    const other = await create();
    expect(await subscribe(name)).toBe(103);
    expect(await subscribe(name, { connect: access })).toBe('subscribed');
    expect(await subscribe(name, { own: access })).toBe('subscribed');
    expect(await subscribe(name, { connect: other.access, own: access })).toBe('subscribed');
    expect(await subscribe(name, { own: refresh })).toBe(103);
    expect(await subscribe(name, { connect: refresh })).toBe(103);
    expect(await subscribe(name, { own: other.access })).toBe(103);
    expect(await subscribe(name, { own: server.token })).toBe(103);
    expect(await subscribe(name, { own: 'garbage' })).toBe(103);
    expect(await subscribe(name, { connect: 'garbage' })).toBe(103);
    expect(await subscribe(name, { connect: `${access}x` })).toBe(103);
  });

  test('a closed or unknown channel is refused before any token is read', async () => {
    const { access } = await create([{ pattern: 'private:**', verbs: ['subscribe'] }]);
    expect(await subscribe('private:shop.order.unknown', { connect: access })).toBe('waiting');
    expect(await subscribe('private:shop.order.unknown', { own: 'garbage' })).toBe('waiting');
    expect(await subscribe('private:shop.order', { own: 'garbage' })).toBe(107);
  });

  test('deny beats chs and allow scopes; a deny of another verb has no effect', async () => {
    const target = await create();
    const allow: Scope = { pattern: 'private:shop.order.*', verbs: ['subscribe', 'publish'] };
    const denied = await create([allow, { pattern: target.name, verbs: ['subscribe'], deny: true }]);
    expect(await subscribe(target.name, { connect: denied.access })).toBe(103);
    expect(await subscribe(denied.name, { connect: denied.access })).toBe('subscribed');
    const selfDenied = await create([{ pattern: 'private:shop.order.**', verbs: ['subscribe'], deny: true }]);
    expect(await subscribe(selfDenied.name, { connect: selfDenied.access })).toBe(103);
    const otherVerb = await create([allow, { pattern: target.name, verbs: ['publish'], deny: true }]);
    expect(await subscribe(target.name, { connect: otherVerb.access })).toBe('subscribed');
  });

  const publishCode = async (channel: string, token?: string) => {
    const client = stockClient(server.websocketUrl, token === undefined ? {} : { token });
    client.connect();
    const code = await codeOf(client.publish(channel, { text: SECRET_PAYLOAD }));
    client.disconnect();
    return code;
  };

  test('client publish follows the publish grant, on public channels too', async () => {
    const target = await create();
    const open = 'public:shop.publish';
    await rpc('OpenPublic', { name: open });
    const reader = await create([{ pattern: 'private:shop.order.*', verbs: ['subscribe'] }]);
    const writer = await create([
      { pattern: 'private:shop.order.*', verbs: ['publish'] },
      { pattern: open, verbs: ['publish'] },
    ]);
    expect(await publishCode(target.name, reader.access)).toBe(103);
    expect(await publishCode(target.name, writer.access)).toBe('ok');
    expect(await publishCode(target.name, target.access)).toBe('ok');
    expect(await publishCode(open)).toBe(103);
    expect(await publishCode(open, target.access)).toBe(103);
    expect(await publishCode(open, writer.access)).toBe('ok');
    expect(await publishCode('public:shop.unknown', writer.access)).toBe(102);
    expect(await publishCode('public:Shop', writer.access)).toBe(107);
  });

  test('a client publish carries who published, and counts with server publishes', async () => {
    const { name, access } = await create([], 'u-7');
    const client = stockClient(server.websocketUrl, { token: access });
    const subscription = client.newSubscription(name);
    const publications = received(subscription);
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    await subscription.publish({ n: 1 });
    expect((await rpc('Publish', { name, data: { n: 2 }, tags: { kind: 'x' } })).body['offset']).toBe(2);
    await eventually('both', () => publications.length === 2);
    expect(publications[0]).toMatchObject({ offset: 1, data: { n: 1 }, info: { user: 'u-7' } });
    expect(publications[1]).toMatchObject({ offset: 2, data: { n: 2 }, tags: { kind: 'x' } });
  });

  test('an idempotency key publishes once', async () => {
    const name = 'public:shop.idempotent';
    await rpc('OpenPublic', { name });
    const first = await rpc('Publish', { name, data: 'x', idempotencyKey: 'k-1' });
    const again = await rpc('Publish', { name, data: 'x', idempotency_key: 'k-1' });
    expect(first.body['suppressed']).toBe(false);
    expect(again.body).toEqual({ ...first.body, suppressed: true });
    expect((await rpc('Publish', { name, data: 'x', idempotency_key: 'k-2' })).body['offset']).toBe(2);
  });

  test('a position of another epoch is not recovered, and that is no error', async () => {
    const name = 'public:shop.epoch';
    await rpc('OpenPublic', { name });
    await rpc('Publish', { name, data: '1' });
    const client = stockClient(server.websocketUrl);
    const subscription = client.newSubscription(name, { since: { offset: 1, epoch: 'another' } });
    const answer = new Promise(resolve => {
      subscription.on('subscribed', ({ wasRecovering, recovered }) => resolve({ wasRecovering, recovered }));
    });
    subscription.subscribe();
    client.connect();
    expect(await answer).toEqual({ wasRecovering: true, recovered: false });
  });

  test('history is for subscribers; presence is off by default', async () => {
    const name = 'public:shop.history';
    await rpc('OpenPublic', { name });
    await rpc('Publish', { name, data: { n: 1 } });
    const client = stockClient(server.websocketUrl);
    client.connect();
    expect(await codeOf(client.history(name, { limit: 10 }))).toBe(103);
    const subscription = client.newSubscription(name);
    subscription.subscribe();
    await subscription.ready(60_000);
    expect((await subscription.history({ limit: 10 })).publications).toMatchObject([
      { offset: 1, data: { n: 1 } },
    ]);
    expect(await codeOf(subscription.presence())).toBe(108);
    expect(await codeOf(client.rpc('anything', {}))).toBe(108);
  });

  test('an access token with manage opens the per-channel methods of its channel only', async () => {
    const { name, access } = await create();
    const managed = rpcOf(server.url, access);
    expect((await managed('GetChannel', { name })).status).toBe(200);
    expect((await managed('Presence', { name })).status).toBe(200);
    const foreign = await managed('GetChannel', { name: 'public:shop.history' });
    expect([foreign.status, foreign.code]).toEqual([403, 'MSG_AUTH_DENIED']);
    const outside = await managed('ListChannels', {});
    expect([outside.status, outside.code, outside.body['msg']]).toEqual([
      401,
      'MSG_AUTH_DENIED',
      'token type mismatch',
    ]);
    expect((await managed('Publish', { name, data: '' })).status).toBe(401);
    const { access: reader, name: own } = await create([
      { pattern: 'private:shop.order.**', verbs: ['manage'], deny: true },
    ]);
    expect((await rpcOf(server.url, reader)('GetChannel', { name: own })).status).toBe(403);
    expect((await managed('DeleteChannel', { name })).status).toBe(200);
  });

  test('a refresh token as bearer is a type mismatch', async () => {
    const { refresh, name } = await create();
    const answer = await rpcOf(server.url, refresh)('GetChannel', { name });
    expect([answer.status, answer.body['msg']]).toEqual([401, 'token type mismatch']);
  });

  test('ExplainAccess names the rule that decides', async () => {
    const { name, access } = await create([
      { pattern: 'private:shop.order.*', verbs: ['publish'], deny: true },
    ]);
    const explain = async (request: object) => {
      const { allowed, code, decided_by, channel_state } = (await rpc('ExplainAccess', request)).body;
      expect(channel_state).toBe((request as { state?: string }).state ?? 'open');
      return [allowed, code, decided_by];
    };
    expect(await explain({ name, verb: 'subscribe', token: access })).toEqual([true, '', 'chs']);
    expect(await explain({ name, verb: 'publish', token: access })).toEqual([
      false,
      'MSG_AUTH_DENIED',
      'deny-scope',
    ]);
    expect(await explain({ name, verb: 'subscribe' })).toEqual([false, 'MSG_AUTH_DENIED', 'none']);
    expect(await explain({ name, verb: 'subscribe', token: 'x' })).toEqual([
      false,
      'MSG_AUTH_DENIED',
      'token',
    ]);
    // The rule is told also where there is no such channel, and the state beside it.
    const unknown = { token: access, state: 'unknown' };
    expect(await explain({ ...unknown, name: 'private:shop.order.none', verb: 'publish' })).toEqual([
      false,
      'MSG_AUTH_DENIED',
      'deny-scope',
    ]);
    expect(await explain({ ...unknown, name: 'private:shop.order.none', verb: 'subscribe' })).toEqual([
      false,
      'MSG_AUTH_DENIED',
      'none',
    ]);
    expect(await explain({ ...unknown, name: 'public:shop.none', verb: 'subscribe' })).toEqual([
      false,
      'MSG_CHANNEL_CLOSED',
      'public',
    ]);
    expect(await explain({ name: 'x', verb: 'subscribe', state: 'unknown' })).toEqual([
      false,
      'MSG_CHANNEL_INVALID',
      'grammar',
    ]);
    expect(await explain({ name: 'public:shop.history', verb: 'subscribe' })).toEqual([true, '', 'public']);
  });
});
