import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Algorithm, newId, nowSeconds } from '../support/minting.ts';
import { rpcOf } from '../support/rpc.ts';
import { follow, stockClient, trySubscribe } from '../support/stock-client.ts';
import { TokenService } from '../support/token-service.ts';
import { tokenExpirySuite } from './token-expiry-suite.ts';

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** Everything that tokens promise, on a server that signs with that algorithm and whose key the test knows. */
export function tokenSuite(alg: Algorithm): void {
  describe(`tokens signed with ${alg}`, () => {
    const service = new TokenService(alg);
    const { key } = service;
    beforeAll(() => service.start());
    afterAll(() => service.stop());

    tokenExpirySuite(service);

    test('an issued pair carries the claims of the format, in order', async () => {
      const scopes = [
        { pattern: 'private:shop.token.*', verbs: ['publish'] },
        { pattern: 'private:shop.audit.**', verbs: ['subscribe'], deny: true },
      ];
      const { name, access, refresh: refreshToken } = await service.create({ scopes, ttlSeconds: 600 });
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
      const anonymous = await service.create({ subject: '' });
      expect(claimsOf(anonymous.access)).not.toHaveProperty('sub');
      expect(claimsOf(anonymous.access)).not.toHaveProperty('scopes');
    });

    test('refresh rotates; a second use kills the family, the newest token included', async () => {
      const { name, access, refresh: first } = await service.create();
      const answer = await service.refresh(first);
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
      expect(await trySubscribe(service.server.websocketUrl, name, { connect: newAccess })).toBe(
        'subscribed',
      );

      const third = String((await service.refresh(second)).body['refresh_token']);
      const reuse = await service.refresh(first);
      expect([reuse.status, reuse.code]).toEqual([403, 'MSG_AUTH_DENIED']);
      const newest = await service.refresh(third);
      expect([newest.status, newest.code]).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await trySubscribe(service.server.websocketUrl, name, { connect: access })).toBe('subscribed');
    });

    test.concurrent('a dead family stays dead after the token that killed it has expired', async () => {
      const { name } = await service.create();
      const family = { sub: 'u-1', typ: 'refresh', chs: [name], iat: nowSeconds(), fid: newId() };
      const short = key.sign({ ...family, exp: nowSeconds() + 2, jti: newId() });
      const long = key.sign({ ...family, exp: nowSeconds() + 600, jti: newId() });
      expect((await service.refresh(short)).status).toBe(200);
      expect((await service.refresh(short)).status).toBe(403);
      await eventually(
        'the token used twice expires',
        async () => (await service.refresh(short)).status === 401,
      );
      const newest = await service.refresh(long);
      expect([newest.status, newest.code]).toEqual([403, 'MSG_AUTH_DENIED']);
    });

    test('of many concurrent redemptions exactly one succeeds', async () => {
      const { refresh: token } = await service.create();
      const answers = await Promise.all(Array.from({ length: 8 }, () => service.refresh(token)));
      expect(answers.filter(answer => answer.status === 200)).toHaveLength(1);
      expect(answers.filter(answer => answer.code === 'MSG_AUTH_DENIED')).toHaveLength(7);
    });

    test('refusals of refresh', async () => {
      const { name, access, refresh: good } = await service.create();
      const iat = nowSeconds() - 100;
      const base = { sub: 'u-1', typ: 'refresh', chs: [name], iat, fid: newId(), jti: newId() };
      const codes = async (token: string) => {
        const { status, code } = await service.refresh(token);
        return [status, code];
      };
      expect(await codes('')).toEqual([400, 'MSG_INVALID_ARGUMENT']);
      expect(await codes('garbage')).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await codes(access)).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await codes(service.server.token)).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await codes(key.sign({ ...base, exp: iat + 1 }))).toEqual([401, 'MSG_AUTH_EXPIRED']);
      expect(await codes(key.sign({ ...base, exp: iat + 900, chs: [] }))).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await codes(key.sign({ ...base, exp: iat + 900, chs: [name, 'private:a.b.c'] }))).toEqual([
        403,
        'MSG_AUTH_DENIED',
      ]);
      await service.rpc('DeleteChannel', { name });
      expect(await codes(good)).toEqual([404, 'MSG_CHANNEL_NOT_FOUND']);
    });

    test('the new access token does not outlive the refresh token that was presented', async () => {
      const { name } = await service.create();
      const exp = nowSeconds() + 100;
      const token = key.sign({
        typ: 'refresh',
        chs: [name],
        iat: nowSeconds(),
        exp,
        fid: newId(),
        jti: newId(),
      });
      expect((await service.refresh(token)).body['access_expires_unix']).toBe(exp);
    });

    test('a refresh token of an older issuer, without ids, is extended and stays', async () => {
      const { name } = await service.create();
      const exp = nowSeconds() + 200;
      const token = key.sign({ sub: 'u-1', typ: 'refresh', chs: [name], iat: nowSeconds(), exp });
      for (let round = 0; round < 2; round++) {
        const { status, body } = await service.refresh(token);
        expect(status).toBe(200);
        expect(body).toMatchObject({ rotated: false, access_expires_unix: exp, refresh_expires_unix: exp });
        expect(body['refresh_token'] === token).toBe(true);
      }
    });

    test('a revoked token is refused at the next private subscribe, and its live subscriptions end', async () => {
      const { name } = await service.create();
      const access = key.access(600, { chs: [name] });
      const client = stockClient(service.server.websocketUrl, { token: access });
      const { ended } = await follow(client, name);
      const start = performance.now();
      const answer = await service.rpc('RevokeToken', { token_id: claimsOf(access).jti, reason: 'lost' });
      expect(answer).toMatchObject({ status: 200, body: {} });
      // Unsubscribed with 2501, the client asks again at once and is told 103.
      expect(await ended).toBe(103);
      expect(performance.now() - start).toBeLessThan(5000);
      expect(await trySubscribe(service.server.websocketUrl, name, { connect: access })).toBe(103);
      expect(await trySubscribe(service.server.websocketUrl, name, { own: access })).toBe(103);
      const managed = await rpcOf(service.server.url, access)('GetChannel', { name });
      expect([managed.status, managed.code]).toEqual([403, 'MSG_AUTH_DENIED']);
      const other = key.access(600, { chs: [name] });
      expect(await trySubscribe(service.server.websocketUrl, name, { connect: other })).toBe('subscribed');
    });

    test('revoking a user ends what was issued before the answer, not what is issued after it', async () => {
      const { name, refresh: refreshToken } = await service.create({ subject: 'u-gone' });
      const before = key.access(600, { sub: 'u-gone', chs: [name] });
      expect((await service.rpc('RevokeUser', { userId: 'u-gone' })).status).toBe(200);
      const after = key.access(600, { sub: 'u-gone', chs: [name] });
      expect(await trySubscribe(service.server.websocketUrl, name, { connect: before })).toBe(103);
      expect(await trySubscribe(service.server.websocketUrl, name, { connect: after })).toBe('subscribed');
      expect((await service.refresh(refreshToken)).code).toBe('MSG_AUTH_DENIED');
      expect((await service.rpc('RevokeToken', {})).code).toBe('MSG_INVALID_ARGUMENT');
      expect((await service.rpc('RevokeUser', {})).code).toBe('MSG_INVALID_ARGUMENT');
      const metadata = await service.rpc('RevokeToken', { token_id: 'none', user_id: 'u-1' });
      expect(metadata.status).toBe(200);
      const unaffected = key.access(600, { sub: 'u-1', chs: [name] });
      expect(await trySubscribe(service.server.websocketUrl, name, { connect: unaffected })).toBe(
        'subscribed',
      );
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
        const { body } = await service.rpc('IssueMgmt', { ttlSeconds });
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
      const narrow = rpcOf(
        service.server.url,
        key.sign({ sub: 'team', typ: 'mgmt', iat, exp: iat + 60, scopes }),
      );
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
      const wide = rpcOf(
        service.server.url,
        key.sign({ sub: 'root', typ: 'mgmt', iat, exp: iat + 60, scopes: all }),
      );
      expect((await wide('ListKeys', {})).status).toBe(200);
      const teamOnly = [{ pat: 'private:**', v: ['manage'] }];
      const minter = rpcOf(
        service.server.url,
        key.sign({ sub: 'm', typ: 'mgmt', iat, exp: iat + 60, scopes: teamOnly }),
      );
      const scoped = (verb: string) => ({
        name: 'private:team.x.1',
        scopes: [{ pattern: 'private:**', verbs: [verb] }],
      });
      expect((await minter('CreatePrivate', scoped('subscribe'))).status).toBe(403);
      expect((await minter('CreatePrivate', scoped('manage'))).status).toBe(200);
    });

    test('a management bearer with scopes issues nothing wider than these', async () => {
      const iat = nowSeconds();
      const verbs = ['manage', 'subscribe', 'publish'];
      const bearer = (scopes: object[]) =>
        rpcOf(service.server.url, key.sign({ sub: 'team', typ: 'mgmt', iat, exp: iat + 60, scopes }));
      const team = bearer([{ pat: 'private:team.*', v: verbs }]);
      const issue = async (scope: object) => {
        const { status, code } = await team('IssueAccess', { subject: 'u-9', scopes: [scope] });
        return [status, code];
      };
      expect(await issue({ pattern: 'private:team.*', verbs: ['subscribe', 'publish'] })).toEqual([
        200,
        undefined,
      ]);
      expect(await issue({ pattern: 'private:team.a', verbs: ['publish'] })).toEqual([200, undefined]);
      for (const pattern of ['private:team.**', 'private:*.a', 'public:team.*'])
        expect(await issue({ pattern, verbs: ['subscribe'] })).toEqual([403, 'MSG_AUTH_DENIED']);
      expect(await issue({ pattern: 'nonsense', verbs: ['subscribe'] })).toEqual([
        400,
        'MSG_INVALID_ARGUMENT',
      ]);
      const reader = bearer([{ pat: 'private:team.*', v: ['subscribe'] }]);
      const request = { subject: 'u-9', scopes: [{ pattern: 'private:team.a', verbs: ['subscribe'] }] };
      expect((await reader('IssueAccess', request)).status).toBe(403);
      expect((await service.anyone('IssueAccess', request)).status).toBe(401);
      const access = (await service.create()).access;
      expect((await rpcOf(service.server.url, access)('IssueAccess', request)).status).toBe(401);
    });
  });
}
