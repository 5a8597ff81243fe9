import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type MsgServer } from '@msg/testkit';
import { UnauthorizedError } from 'centrifuge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Algorithm, newId, nowSeconds, TestKey, writeKeyring } from '../support/minting.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';
import { closeClients, outcome, stockClient, trySubscribe } from '../support/stock-client.ts';

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** Everything that tokens promise, on a server that signs with that algorithm and whose key the test knows. */
export function tokenSuite(alg: Algorithm): void {
  describe(`tokens signed with ${alg}`, () => {
    const key = TestKey.of(alg);
    let server: MsgServer;
    let rpc: ReturnType<typeof rpcOf>;
    let anyone: ReturnType<typeof rpcOf>;
    let folder: string;
    let serial = 0;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'msg-tokens-'));
      await writeKeyring(folder, key);
      server = await startServer({ args: ['--state-dir', folder] });
      rpc = rpcOf(server.url, server.token);
      anyone = rpcOf(server.url);
    });
    afterAll(async () => {
      closeClients();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const create = async (request: object = {}) => {
      const name = `private:shop.token.${++serial}`;
      const { body } = await rpc('CreatePrivate', { name, subject: 'u-1', ...request });
      return { name, access: String(body['access_token']), refresh: String(body['refresh_token']) };
    };
    const refresh = (refresh_token: string) => anyone('RefreshToken', { refresh_token });

    test('an issued pair carries the claims of the format, in order', async () => {
      const scopes = [
        { pattern: 'private:shop.token.*', verbs: ['publish'] },
        { pattern: 'private:shop.audit.**', verbs: ['subscribe'], deny: true },
      ];
      const { name, access, refresh: refreshToken } = await create({ scopes, ttlSeconds: 600 });
      const claims = claimsOf(access);
      expect(Object.keys(claims)).toEqual(['sub', 'typ', 'chs', 'iat', 'exp', 'scopes', 'jti']);
      expect(claims).toMatchObject({
        sub: 'u-1',
        typ: 'access',
        chs: [name],
        scopes: [
          { pat: 'private:shop.token.*', v: ['publish'] },
          { pat: 'private:shop.audit.**', v: ['subscribe'], deny: true },
        ],
      });
      expect(claims.exp - claims.iat).toBe(300);
      const refreshClaims = claimsOf(refreshToken);
      expect(refreshClaims).toMatchObject({
        typ: 'refresh',
        chs: [name],
        fid: expect.stringMatching(/^[\w-]{22}$/),
      });
      expect(refreshClaims.exp - refreshClaims.iat).toBe(600);
      expect(refreshClaims.jti).not.toBe(claims.jti);
      const anonymous = await create({ subject: '' });
      expect(claimsOf(anonymous.access)).not.toHaveProperty('sub');
      expect(claimsOf(anonymous.access)).not.toHaveProperty('scopes');
    });

    test('refresh rotates; a second use kills the family, the newest token included', async () => {
      const { name, access, refresh: first } = await create();
      const answer = await refresh(first);
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.body)).toEqual([
        'access_token',
        'expires_at',
        'access_expires_unix',
        'refresh_token',
        'refresh_expires_unix',
        'rotated',
      ]);
      expect(answer.body['rotated']).toBe(true);
      expect(Date.parse(String(answer.body['expires_at']))).toBe(
        Number(answer.body['access_expires_unix']) * 1000,
      );
      const second = String(answer.body['refresh_token']);
      expect(claimsOf(second).fid).toBe(claimsOf(first).fid);
      expect(claimsOf(second).jti).not.toBe(claimsOf(first).jti);
      const newAccess = String(answer.body['access_token']);
      expect(claimsOf(newAccess)).toMatchObject({ sub: 'u-1', chs: [name] });
      expect(await trySubscribe(server.websocketUrl, name, { connect: newAccess })).toBe('subscribed');

      const third = String((await refresh(second)).body['refresh_token']);
      const reuse = await refresh(first);
      expect([reuse.status, reuse.code]).toEqual([403, 'MSG_AUTH_DENIED']);
      const newest = await refresh(third);
      expect([newest.status, newest.code]).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await trySubscribe(server.websocketUrl, name, { connect: access })).toBe('subscribed');
    });

    test.concurrent('a dead family stays dead after the token that killed it has expired', async () => {
      const { name } = await create();
      const family = { sub: 'u-1', typ: 'refresh', chs: [name], iat: nowSeconds(), fid: newId() };
      const short = key.sign({ ...family, exp: nowSeconds() + 2, jti: newId() });
      const long = key.sign({ ...family, exp: nowSeconds() + 600, jti: newId() });
      expect((await refresh(short)).status).toBe(200);
      expect((await refresh(short)).status).toBe(403);
      await eventually('the token used twice expires', async () => (await refresh(short)).status === 401);
      const newest = await refresh(long);
      expect([newest.status, newest.code]).toEqual([403, 'MSG_AUTH_DENIED']);
    });

    test('of many concurrent redemptions exactly one succeeds', async () => {
      const { refresh: token } = await create();
      const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(token)));
      expect(answers.filter(answer => answer.status === 200)).toHaveLength(1);
      expect(answers.filter(answer => answer.code === 'MSG_AUTH_DENIED')).toHaveLength(7);
    });

    test('refusals of refresh', async () => {
      const { name, access, refresh: good } = await create();
      const iat = nowSeconds() - 100;
      const base = { sub: 'u-1', typ: 'refresh', chs: [name], iat, fid: newId(), jti: newId() };
      const codes = async (token: string) => {
        const { status, code } = await refresh(token);
        return [status, code];
      };
      expect(await codes('')).toEqual([400, 'MSG_INVALID_ARGUMENT']);
      expect(await codes('garbage')).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await codes(access)).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await codes(server.token)).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await codes(key.sign({ ...base, exp: iat + 1 }))).toEqual([401, 'MSG_AUTH_EXPIRED']);
      expect(await codes(key.sign({ ...base, exp: iat + 900, chs: [] }))).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await codes(key.sign({ ...base, exp: iat + 900, chs: [name, 'private:a.b.c'] }))).toEqual([
        403,
        'MSG_AUTH_DENIED',
      ]);
      await rpc('DeleteChannel', { name });
      expect(await codes(good)).toEqual([404, 'MSG_CHANNEL_NOT_FOUND']);
    });

    test('the new access token does not outlive the refresh token that was presented', async () => {
      const { name } = await create();
      const exp = nowSeconds() + 100;
      const token = key.sign({
        typ: 'refresh',
        chs: [name],
        iat: nowSeconds(),
        exp,
        fid: newId(),
        jti: newId(),
      });
      expect((await refresh(token)).body['access_expires_unix']).toBe(exp);
    });

    test('a refresh token of an older issuer, without ids, is extended and stays', async () => {
      const { name } = await create();
      const exp = nowSeconds() + 200;
      const token = key.sign({ sub: 'u-1', typ: 'refresh', chs: [name], iat: nowSeconds(), exp });
      for (let round = 0; round < 2; round++) {
        const { status, body } = await refresh(token);
        expect(status).toBe(200);
        expect(body).toMatchObject({ rotated: false, access_expires_unix: exp, refresh_expires_unix: exp });
        expect(body['refresh_token'] === token).toBe(true);
      }
    });

    test('an expired access token: 109 at connect and for a subscription; wrong types connect as anonymous', async () => {
      const { name } = await create();
      const expired = key.sign({
        sub: 'u-1',
        typ: 'access',
        chs: [name],
        iat: nowSeconds() - 50,
        exp: nowSeconds() - 10,
      });
      const asked: string[] = [];
      const good = key.access(60, { chs: [name] });
      const client = stockClient(server.websocketUrl, {
        token: expired,
        getToken: async () => {
          asked.push('connect');
          return good;
        },
      });
      const subscription = client.newSubscription(name);
      const result = outcome(subscription);
      subscription.subscribe();
      client.connect();
      expect(await result).toBe('subscribed');
      expect(asked).toEqual(['connect']);
      const expiredBearer = key.sign({
        sub: 'u-1',
        typ: 'mgmt',
        iat: nowSeconds() - 50,
        exp: nowSeconds() - 10,
      });
      expect(await trySubscribe(server.websocketUrl, name, { connect: expiredBearer })).toBe(103);
      const bearer = await rpcOf(server.url, expiredBearer)('ListChannels', {});
      expect([bearer.status, bearer.code, bearer.body['msg']]).toEqual([
        401,
        'MSG_AUTH_EXPIRED',
        'token expired',
      ]);
    });

    test.concurrent('a client whose callback refreshes stays connected and subscribed over several expiries', async () => {
      const { name } = await create();
      let refreshToken = key.sign({
        sub: 'u-1',
        typ: 'refresh',
        chs: [name],
        iat: nowSeconds(),
        exp: nowSeconds() + 3000,
        jti: newId(),
        fid: newId(),
      });
      let calls = 0;
      const client = stockClient(server.websocketUrl, {
        token: key.access(2, { chs: [name] }),
        getToken: async () => {
          calls++;
          // The service issues five minutes; rotation is real, the lifetime is cut by the test's own key.
          const { body } = await refresh(refreshToken);
          refreshToken = String(body['refresh_token']);
          return key.access(2, { chs: [name] });
        },
      });
      const events: string[] = [];
      client.on('disconnected', ({ code }) => events.push(`disconnected ${code}`));
      client.on('connecting', ({ code }) => events.push(`connecting ${code}`));
      const subscription = client.newSubscription(name);
      subscription.on('unsubscribed', ({ code }) => events.push(`unsubscribed ${code}`));
      subscription.subscribe();
      client.connect();
      await subscription.ready(5000);
      await eventually('three refreshes', () => calls >= 3, 15_000);
      expect(events).toEqual(['connecting 0']);
      expect((await rpc('Presence', { name })).body).toEqual({ subscribers: 1 });
    });

    test.concurrent('without a callback the stock client ends its connection at the expiry', async () => {
      const { name } = await create();
      const client = stockClient(server.websocketUrl, { token: key.access(2, { chs: [name] }) });
      const ended = new Promise<string>(resolve =>
        client.on('disconnected', ({ reason }) => resolve(reason)),
      );
      client.connect();
      await client.ready(5000);
      expect(await ended).toBe('unauthorized');
    });

    test.concurrent('a subscription with a token of its own is extended by its callback', async () => {
      const { name } = await create();
      let calls = 0;
      const client = stockClient(server.websocketUrl);
      const subscription = client.newSubscription(name, {
        getToken: async () => {
          calls++;
          return key.access(2, { chs: [name] });
        },
      });
      const ended: number[] = [];
      subscription.on('unsubscribed', ({ code }) => ended.push(code));
      subscription.subscribe();
      client.connect();
      await subscription.ready(5000);
      await eventually('two extensions', () => calls >= 3, 12_000);
      expect(ended).toEqual([]);
      expect((await rpc('Presence', { name })).body).toEqual({ subscribers: 1 });
    });

    test.concurrent('a refresh to narrower grants ends what is no longer allowed; a foreign subject ends the connection', async () => {
      const { name } = await create();
      const client = stockClient(server.websocketUrl, {
        token: key.access(2, { chs: [name] }),
        getToken: async () => key.access(60, { chs: ['private:shop.other.1'] }),
      });
      const subscription = client.newSubscription(name);
      const ended = new Promise<number>(resolve =>
        subscription.on('unsubscribed', ({ code }) => resolve(code)),
      );
      subscription.subscribe();
      client.connect();
      await subscription.ready(5000);
      expect(await ended).toBe(103);

      const other = stockClient(server.websocketUrl, {
        token: key.access(2, { chs: [name] }),
        getToken: async () => key.access(60, { sub: 'u-2', chs: [name] }),
      });
      const disconnected = new Promise<number>(resolve =>
        other.on('disconnected', ({ code }) => resolve(code)),
      );
      other.connect();
      expect(await disconnected).toBe(3500);
    });

    test('a callback that gives up ends the connection on the client side', async () => {
      const client = stockClient(server.websocketUrl, {
        getToken: async () => {
          throw new UnauthorizedError('no more tokens');
        },
      });
      const ended = new Promise<string>(resolve =>
        client.on('disconnected', ({ reason }) => resolve(reason)),
      );
      client.connect();
      expect(await ended).toBe('unauthorized');
    });

    test('a revoked token is refused at the next private subscribe, and its live subscriptions end', async () => {
      const { name } = await create();
      const access = key.access(600, { chs: [name] });
      const client = stockClient(server.websocketUrl, { token: access });
      const subscription = client.newSubscription(name);
      const ended = new Promise<number>(resolve =>
        subscription.on('unsubscribed', ({ code }) => resolve(code)),
      );
      subscription.subscribe();
      client.connect();
      await subscription.ready(5000);
      const start = performance.now();
      const answer = await rpc('RevokeToken', { token_id: claimsOf(access).jti, reason: 'lost' });
      expect(answer).toMatchObject({ status: 200, body: {} });
      // Unsubscribed with 2501, the client asks again at once and is told 103.
      expect(await ended).toBe(103);
      expect(performance.now() - start).toBeLessThan(5000);
      expect(await trySubscribe(server.websocketUrl, name, { connect: access })).toBe(103);
      expect(await trySubscribe(server.websocketUrl, name, { own: access })).toBe(103);
      const managed = await rpcOf(server.url, access)('GetChannel', { name });
      expect([managed.status, managed.code]).toEqual([403, 'MSG_AUTH_DENIED']);
      const other = key.access(600, { chs: [name] });
      expect(await trySubscribe(server.websocketUrl, name, { connect: other })).toBe('subscribed');
    });

    test('revoking a user ends what was issued before the answer, not what is issued after it', async () => {
      const { name, refresh: refreshToken } = await create({ subject: 'u-gone' });
      const before = key.access(600, { sub: 'u-gone', chs: [name] });
      expect((await rpc('RevokeUser', { userId: 'u-gone' })).status).toBe(200);
      const after = key.access(600, { sub: 'u-gone', chs: [name] });
      expect(await trySubscribe(server.websocketUrl, name, { connect: before })).toBe(103);
      expect(await trySubscribe(server.websocketUrl, name, { connect: after })).toBe('subscribed');
      expect((await refresh(refreshToken)).code).toBe('MSG_AUTH_DENIED');
      expect((await rpc('RevokeToken', {})).code).toBe('MSG_INVALID_ARGUMENT');
      expect((await rpc('RevokeUser', {})).code).toBe('MSG_INVALID_ARGUMENT');
      const metadata = await rpc('RevokeToken', { token_id: 'none', user_id: 'u-1' });
      expect(metadata.status).toBe(200);
      const unaffected = key.access(600, { sub: 'u-1', chs: [name] });
      expect(await trySubscribe(server.websocketUrl, name, { connect: unaffected })).toBe('subscribed');
    });

    test('management tokens: default subject, lifetime clamped', async () => {
      const lifetimes: [number, number][] = [
        [0, 86_400],
        [60, 3600],
        [-5, 3600],
        [7200, 7200],
        [10_000_000, 7 * 86_400],
      ];
      for (const [ttlSeconds, expected] of lifetimes) {
        const { body } = await rpc('IssueMgmt', { ttlSeconds });
        const claims = claimsOf(String(body['mgmt_token']));
        expect(claims.exp - claims.iat).toBe(expected);
        expect(claims).toMatchObject({ sub: 'operator', typ: 'mgmt' });
        expect(body).toMatchObject({ expires_unix: claims.exp, signed_by_key_id: key.kid });
      }
    });

    test('a management bearer with scopes may only what they cover', async () => {
      const iat = nowSeconds();
      const scopes = [
        { pat: 'public:team.**', v: ['manage'] },
        { pat: 'public:team.news', v: ['publish'] },
      ];
      const narrow = rpcOf(server.url, key.sign({ sub: 'team', typ: 'mgmt', iat, exp: iat + 60, scopes }));
      const code = async (method: string, request: object) => (await narrow(method, request)).status;
      expect(await code('OpenPublic', { name: 'public:team.news' })).toBe(200);
      expect(await code('OpenPublic', { name: 'public:shop.news' })).toBe(403);
      expect(await code('Publish', { name: 'public:team.news', data: '' })).toBe(200);
      await code('OpenPublic', { name: 'public:team.other' });
      expect(await code('Publish', { name: 'public:team.other', data: '' })).toBe(403);
      const { channels } = (await narrow('ListChannels', {})).body as { channels: { name: string }[] };
      expect(channels.map(channel => channel.name)).toEqual(['public:team.news', 'public:team.other']);
      for (const method of ['IssueMgmt', 'ListKeys', 'GenerateKey', 'ReloadKeys'])
        expect(await code(method, {})).toBe(403);
      const all = ['public:**', 'private:**'].map(pat => ({ pat, v: ['manage'] }));
      const wide = rpcOf(server.url, key.sign({ sub: 'root', typ: 'mgmt', iat, exp: iat + 60, scopes: all }));
      expect((await wide('ListKeys', {})).status).toBe(200);
      const teamOnly = [{ pat: 'private:**', v: ['manage'] }];
      const minter = rpcOf(
        server.url,
        key.sign({ sub: 'm', typ: 'mgmt', iat, exp: iat + 60, scopes: teamOnly }),
      );
      const scoped = { name: 'private:team.x.1', scopes: [{ pattern: 'private:**', verbs: ['manage'] }] };
      expect((await minter('CreatePrivate', scoped)).status).toBe(403);
      expect((await minter('CreatePrivate', { name: 'private:team.x.1' })).status).toBe(200);
    });
  });
}
