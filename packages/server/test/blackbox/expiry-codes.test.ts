import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type MsgServer, RawClient } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nowSeconds, TestKey, writeKeyring } from '../support/minting.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

describe('codes on the wire when tokens end', () => {
  const key = new TestKey();
  const name = 'private:shop.expiry.1';
  let server: MsgServer;
  let rpc: ReturnType<typeof rpcOf>;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'msg-expiry-'));
    await writeKeyring(folder, key);
    server = await startServer({ args: ['--state-dir', folder] });
    rpc = rpcOf(server.url, server.token);
    await rpc('CreatePrivate', { name, ttlSeconds: 3600 });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const expired = () => key.access(-5, { chs: [name], iat: nowSeconds() - 60 });
  const granted = (seconds: number, claims: object = {}) => key.access(seconds, { chs: [name], ...claims });
  const connected = async (token = '') => {
    const client = await RawClient.open(server.websocketUrl);
    const reply = await client.request({ connect: { token } });
    return { client, reply };
  };

  test('connect announces the expiry of a valid token only', async () => {
    const valid = await connected(granted(60));
    expect(valid.reply.connect).toMatchObject({ expires: true, ping: 25, pong: true, version: 'dev' });
    expect(valid.reply.connect?.ttl).toBeGreaterThan(50);
    const anonymous = await connected();
    expect(anonymous.reply.connect?.expires).toBe(false);
    const old = await connected(expired());
    expect(old.reply.error).toMatchObject({
      code: 109,
      message: 'MSG_AUTH_EXPIRED: token expired',
      temporary: false,
    });
    for (const { client } of [valid, anonymous]) await client.close();
    await old.client.close();
  });

  test('an expired subscription token is 109, with text for applications', async () => {
    const { client } = await connected();
    const reply = await client.request({ subscribe: { channel: name, token: expired() } });
    expect(reply.error).toMatchObject({ code: 109, temporary: false });
    expect(reply.error?.message).toMatch(/^MSG_AUTH_EXPIRED: /);
    const denied = await client.request({ subscribe: { channel: name } });
    expect(denied.error).toMatchObject({ code: 103, temporary: false });
    expect(denied.error?.message).toMatch(/^MSG_AUTH_DENIED: /);
    await client.close();
  });

  test('a subscription with a token of its own announces its expiry and is extended by sub_refresh', async () => {
    const { client } = await connected();
    const { subscribe } = await client.request({ subscribe: { channel: name, token: granted(60) } });
    expect(subscribe).toMatchObject({ expires: true, recoverable: true, positioned: true });
    const extended = await client.request({ subRefresh: { channel: name, token: granted(600) } });
    expect(extended.subRefresh?.ttl).toBeGreaterThan(590);
    const old = await client.request({ subRefresh: { channel: name, token: expired() } });
    expect(old.error?.code).toBe(110);
    const foreign = await client.request({ subRefresh: { channel: name, token: granted(60, { chs: [] }) } });
    expect(foreign.error?.code).toBe(103);
    await client.close();
    const kept = await connected(granted(60));
    const plain = await kept.client.request({ subscribe: { channel: name } });
    expect(plain.subscribe?.expires).toBe(false);
    await kept.client.close();
  });

  test('refresh answers the new ttl and the client id', async () => {
    const { client, reply } = await connected(granted(60));
    const { refresh } = await client.request({ refresh: { token: granted(600) } });
    expect(refresh).toMatchObject({ client: reply.connect?.client, expires: true });
    expect(refresh?.ttl).toBeGreaterThan(590);
    await client.close();
  });

  test.each([
    ['an expired token', 3005, () => expired()],
    ['garbage', 3500, () => 'garbage'],
    ['another subject', 3500, () => granted(60, { sub: 'u-2' })],
    ['a refresh token', 3500, () => granted(60, { typ: 'refresh' })],
  ])('refresh with %s disconnects with %d', async (_title, code, token) => {
    const { client } = await connected(granted(60));
    client.send({ refresh: { token: token() } });
    expect((await client.closed()).code).toBe(code);
  });

  /** A connection with a subscription, whose token expires soon after. A busy machine needs a token of longer life. */
  const soonExpired = async (): Promise<RawClient> => {
    for (const seconds of [1, 2, 4, 8, 16]) {
      const client = await RawClient.open(server.websocketUrl);
      const ids = client.sendBatch([
        { connect: { token: granted(seconds) } },
        { subscribe: { channel: name } },
      ]);
      const subscribed = await client.take(({ id }) => id === ids[1]).catch(() => undefined);
      if (subscribed?.error === null) return client;
    }
    throw new Error('every token expired before the subscribe');
  };

  test('a kept token that has expired, in grace: private subscribe 3005, publish 109', async () => {
    const client = await soonExpired();
    await eventually('the token expires', async () => {
      const { error } = await client.request({ publish: { channel: name, data: Buffer.from('1') } });
      return error?.code === 109;
    });
    const other = 'private:shop.expiry.2';
    await rpc('CreatePrivate', { name: other });
    client.send({ subscribe: { channel: other } });
    expect((await client.closed()).code).toBe(3005);
  });

  test('a revocation pushes unsubscribe 2501 to subscriptions on the token, and to no others', async () => {
    const jti = 'revoked-on-the-wire';
    const doomed = await connected(granted(600, { jti }));
    await doomed.client.request({ subscribe: { channel: name } });
    const spared = await connected(granted(600, { jti }));
    await spared.client.request({ subscribe: { channel: name, token: granted(600) } });
    await rpc('RevokeToken', { tokenId: jti });
    const push = await doomed.client.push(({ unsubscribe }) => unsubscribe !== null);
    expect(push).toMatchObject({
      channel: name,
      unsubscribe: { code: 2501, reason: 'subscription expired' },
    });
    const again = await doomed.client.request({ subscribe: { channel: name } });
    expect(again.error?.code).toBe(103);
    expect(spared.client.received.filter(reply => reply.push !== null)).toEqual([]);
    await doomed.client.close();
    await spared.client.close();
  });
});
