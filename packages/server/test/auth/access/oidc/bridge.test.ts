import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@msg/foundation/clock';
import { MemoryRevocationStore, Msg, type MsgOptions, type OidcGrant, type OidcOptions } from '@msg/server';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folders.ts';
import {
  CLIENT_ID,
  type IdentityProvider,
  startIdentityProvider,
} from '../../../support/identity-provider.ts';
import { manifestOf, rpcOf } from '../../../support/rpc.ts';

const GRANTS: readonly OidcGrant[] = [
  { ifGroup: 'msg-admins', scope: '*:**', verbs: ['subscribe', 'publish', 'manage'] },
  { ifGroup: 'msg-shop', scope: 'public:shop.**', verbs: ['publish', 'manage'] },
  { ifGroup: 'msg-readers', scope: 'public:**', verbs: ['subscribe'] },
];

let provider: IdentityProvider;
/** How far the services' clock is ahead, milliseconds. */
let ahead = 0;
const stops: (() => Promise<void>)[] = [];

async function serve(
  oidc: Partial<OidcOptions>,
  options: MsgOptions = {},
): Promise<{ msg: Msg; url: string }> {
  const msg = await Msg.create({
    ...options,
    clock: {
      ...systemClock,
      now: () => systemClock.now() + ahead,
      monotonic: () => systemClock.monotonic() + ahead,
    },
    oidc: { issuer: provider.issuer, audience: CLIENT_ID, ...oidc },
  });
  const server = createServer(msg.handler());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const controller = new AbortController();
  const ended = msg.run(controller.signal);
  await msg.ready();
  stops.push(async () => {
    controller.abort();
    await ended;
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  return { msg, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }; // a bound TCP server
}

beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(async () => {
  await Promise.all(stops.map(stop => stop()));
  await provider.stop();
});

describe('ID tokens as bearers', () => {
  let url: string;
  let msg: Msg;
  beforeAll(async () => {
    ({ url, msg } = await serve({ allowAll: true, subjectClaim: 'email' }));
  });

  const call = async (claims: Readonly<Record<string, unknown>>) => {
    const { status, code, body } = await rpcOf(url, await provider.idToken(claims))('ListKeys', {});
    return [status, code ?? '', body['msg'] ?? ''];
  };
  const now = () => Math.floor(Date.now() / 1000);

  test('one of the provider opens the RPC; our own bearers still do', async () => {
    expect(await call({})).toEqual([200, '', '']);
    expect(await call({ aud: ['other', CLIENT_ID] })).toEqual([200, '', '']);
    expect((await rpcOf(url, msg.tokens.issueManagement().token)('ListKeys', {})).status).toBe(200);
  });

  test('the manifest names the issuer', async () => {
    expect(await manifestOf(url)).toMatchObject({
      auth_oidc_enabled: true,
      auth_oidc_issuer: provider.issuer,
    });
  });

  test.each([
    ['another audience', { aud: 'other' }, 'MSG_AUTH_DENIED', 'permission denied'],
    ['no audience', { aud: undefined }, 'MSG_AUTH_DENIED', 'token is malformed'],
    ['a lifetime that is over', { exp: now() - 1 }, 'MSG_AUTH_EXPIRED', 'token expired'],
    ['a lifetime that is long over', { exp: now() - 3600 }, 'MSG_AUTH_EXPIRED', 'token expired'],
    ['no expiry', { exp: undefined }, 'MSG_AUTH_DENIED', 'token is malformed'],
    ['a birth in the future', { iat: now() + 3600 }, 'MSG_AUTH_DENIED', 'token is not valid yet'],
    ['a beginning in the future', { nbf: now() + 3600 }, 'MSG_AUTH_DENIED', 'token is not valid yet'],
  ])('%s is refused with what is wrong with it', async (_case, claims, code, text) => {
    expect(await call(claims)).toEqual([401, code, text]);
  });

  test('a token of another issuer is refused with what our own verifier says', async () => {
    // An ID token's header need not say `typ`, and ours must.
    const refused = [401, 'MSG_AUTH_DENIED', 'token is malformed'];
    expect(await call({ iss: 'https://idp.example.com' })).toEqual(refused);
    expect(await call({ iss: 'https://idp.example.com', exp: now() - 1 })).toEqual(refused);
  });

  test('that a lifetime is over is said only of what the provider signed', async () => {
    const parts = (await provider.idToken({ exp: now() - 1 })).split('.');
    const other = (await provider.idToken()).split('.');
    const { status, body } = await rpcOf(url, `${parts[0]}.${parts[1]}.${other[2]}`)('ListKeys', {});
    expect([status, body['msg']]).toEqual([401, 'token signature is invalid']);
  });

  test('clocks may differ a little about the birth', async () => {
    expect(await call({ iat: now() + 10, nbf: now() + 10 })).toEqual([200, '', '']);
  });

  test('a shared secret is never a key, and a token of another issuer is not accepted', async () => {
    const claims = { iss: provider.issuer, aud: CLIENT_ID, sub: 'ada', exp: now() + 600 };
    const secret = new TextEncoder().encode('the secret of a confidential client');
    const shared = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'p-0' }).sign(secret);
    const parts = (await provider.idToken()).split('.');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${parts[1]}.`;
    const cut = `${parts[0]}.${parts[1]}.${parts[2]?.slice(0, -8)}`;
    for (const token of [shared, none, cut, 'nonsense']) {
      expect((await rpcOf(url, token)('ListKeys', {})).status).toBe(401);
    }
    expect((await rpcOf(url)('ListKeys', {})).body['msg']).toBe('missing bearer token');
  });

  test('it is a bearer of the management RPC only, not an access token', async () => {
    const token = await provider.idToken();
    await msg.channels.createPrivate({ name: 'private:oidc.room.1' });
    const { body } = await rpcOf(url, token)('ExplainAccess', {
      name: 'private:oidc.room.1',
      verb: 'subscribe',
      token,
    });
    expect(body).toMatchObject({ allowed: false, decided_by: 'token' });
  });

  test('a rotated key verifies as soon as the key set may be fetched again', async () => {
    expect(await call({})).toEqual([200, '', '']);
    await provider.rotateKey('PS256');
    ahead += 10_000;
    const before = provider.keyFetches();
    expect(await call({})).toEqual([200, '', '']);
    expect(await call({})).toEqual([200, '', '']);
    expect(provider.keyFetches()).toBe(before + 1);
    await provider.rotateKey('EdDSA');
    expect((await call({}))[0]).toBe(401);
    expect(provider.keyFetches()).toBe(before + 1);
    ahead += 10_000;
    expect((await call({}))[0]).toBe(200);
  });
});

describe('grants of groups', () => {
  const channel = { name: 'public:shop.news' };
  let url: string;
  beforeAll(async () => {
    ({ url } = await serve({ grants: GRANTS }));
    await rpcOf(url, await provider.idToken({ groups: ['msg-admins'] }))('OpenPublic', channel);
  });

  test.each([
    ['msg-admins', 'OpenPublic', channel, 200],
    ['msg-admins', 'Publish', channel, 200],
    ['msg-admins', 'ListChannels', {}, 200],
    ['msg-admins', 'ListKeys', {}, 200],
    ['msg-admins', 'IssueMgmt', {}, 200],
    ['msg-admins', 'RevokeUser', { user_id: 'u' }, 400],
    ['msg-shop', 'OpenPublic', channel, 200],
    ['msg-shop', 'GetChannel', channel, 200],
    ['msg-shop', 'Presence', channel, 200],
    ['msg-shop', 'Publish', channel, 200],
    ['msg-shop', 'ListChannels', {}, 200],
    ['msg-shop', 'OpenPublic', { name: 'public:other.news' }, 403],
    ['msg-shop', 'Publish', { name: 'public:other.news' }, 403],
    ['msg-shop', 'CreatePrivate', { name: 'private:shop.a.1' }, 403],
    ['msg-shop', 'ListKeys', {}, 403],
    ['msg-shop', 'IssueMgmt', {}, 403],
    ['msg-shop', 'RevokeUser', { user_id: 'u' }, 403],
    ['msg-readers', 'Publish', channel, 403],
    ['msg-readers', 'GetChannel', channel, 403],
    ['msg-readers', 'ListChannels', {}, 403],
    ['strangers', 'GetChannel', channel, 403],
    ['', 'GetChannel', channel, 403],
    ['', 'ListChannels', {}, 403],
  ])('%s calls %s %j: %i', async (group, method, request, status) => {
    const groups = group === '' ? undefined : [group];
    const answer = await rpcOf(url, await provider.idToken({ groups }))(method, request);
    expect([answer.status, answer.code]).toEqual([
      status,
      status === 403 ? 'MSG_AUTH_DENIED' : status === 400 ? 'MSG_INVALID_ARGUMENT' : undefined,
    ]);
  });

  test('a listing shows what the grants let manage', async () => {
    const admin = rpcOf(url, await provider.idToken({ groups: 'msg-admins' }));
    await admin('OpenPublic', { name: 'public:other.news' });
    const shop = rpcOf(url, await provider.idToken({ groups: 'msg-shop everybody' }));
    const { body } = await shop('ListChannels', {});
    expect(body['channels']).toEqual([expect.objectContaining(channel)]);
  });
});

describe('revocation', () => {
  const seconds = () => Math.floor((Date.now() + ahead) / 1000);
  const statusOf = async (url: string, claims: Readonly<Record<string, unknown>>) => {
    const { status, body } = await rpcOf(url, await provider.idToken(claims))('ListKeys', {});
    return [status, body['msg'] ?? ''];
  };

  test('of a user ends the ID tokens of a subject that were issued so far', async () => {
    const revocationStore = new MemoryRevocationStore(systemClock);
    const { url, msg } = await serve({ allowAll: true, subjectClaim: 'email' }, { revocationStore });
    const iat = seconds();
    expect(await statusOf(url, { email: 'ann@example.com', iat })).toEqual([200, '']);
    await msg.tokens.revokeUser('ann@example.com');
    expect(await statusOf(url, { email: 'ann@example.com', iat })).toEqual([401, 'the token was revoked']);
    expect(await statusOf(url, { email: 'bob@example.com', iat })).toEqual([200, '']);
    expect(await statusOf(url, { email: 'ann@example.com', iat: seconds() })).toEqual([200, '']);
  });

  test('that a restart forgets: ID tokens of before are expired', async () => {
    const { url } = await serve({ allowAll: true }, { revocationStore: 'auto' });
    expect(await statusOf(url, { iat: seconds() - 60 })).toEqual([401, 'token expired']);
    expect(await statusOf(url, { iat: seconds() + 1 })).toEqual([200, '']);
    const stateDir = await temporaryFolder();
    const kept = await serve({ allowAll: true }, { revocationStore: 'auto', stateDir });
    expect(await statusOf(kept.url, { iat: seconds() - 60 })).toEqual([200, '']);
  });
});

describe('a boot without the provider', () => {
  const create = (oidc: Partial<OidcOptions>) =>
    Msg.create({ oidc: { issuer: provider.issuer, audience: CLIENT_ID, allowAll: true, ...oidc } });

  test('fails when discovery fails', async () => {
    provider.setDown(true);
    try {
      await expect(create({})).rejects.toThrow('auth.oidc.issuer: discovery failed');
    } finally {
      provider.setDown(false);
    }
    await expect(create({ issuer: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
    });
  });

  test('fails when the document names another issuer', async () => {
    const issuer = provider.issuer.replace('127.0.0.1', 'localhost');
    await expect(create({ issuer })).rejects.toThrow(/names the issuer "http:\/\/127\.0\.0\.1/);
  });
});
