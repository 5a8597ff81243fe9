import type { Role } from '@msg/core';
import { afterEach, describe, expect, test } from 'vitest';
import { parseKeyring } from '#src/auth/keys/document.ts';
import { type Embedded, embed, stopEmbedded } from '../../support/embedded.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { keyringDocument, TestKey } from '../../support/minting.ts';
import { rpcOf } from '../../support/rpc.ts';

afterEach(stopEmbedded);

const key = new TestKey();
const serve = async (): Promise<Embedded> =>
  embed({ keySet: parseKeyring(keyringDocument(key)), stateDir: await temporaryFolder() });
const bearer = (claims: object): string => {
  const iat = Math.floor(Date.now() / 1000);
  return key.sign({ sub: 'ops', typ: 'mgmt', iat, exp: iat + 600, ...claims });
};
const ALL = ['public:**', 'private:**'].map(pat => ({ pat, v: ['subscribe', 'publish', 'manage'] }));

describe('the role of a management token', () => {
  test('is admin without the claim, and another value makes the token malformed', async () => {
    const { url } = await serve();
    expect((await rpcOf(url, bearer({}))('ReloadKeys', {})).code).not.toBe('MSG_AUTH_DENIED');
    for (const role of ['root', 'Admin', '', 7, null]) {
      const { status, body } = await rpcOf(url, bearer({ role }))('ListKeys', {});
      expect([status, body['msg']]).toEqual([401, 'token is malformed']);
    }
  });

  test('a refusal names the role of the bearer and the one that is needed', async () => {
    const { url } = await serve();
    const { status, code, body } = await rpcOf(url, bearer({ role: 'viewer' }))('GenerateKey', {});
    expect([status, code]).toEqual([403, 'MSG_AUTH_DENIED']);
    expect(body['msg']).toBe('the bearer has the role viewer, and this needs the role admin');
  });

  test('an unknown claim of that name does not matter in an access token', async () => {
    const { url, msg } = await serve();
    await msg.channels.openPublic('public:roles.a');
    const iat = Math.floor(Date.now() / 1000);
    const claims = { sub: 'ann', typ: 'access', iat, exp: iat + 60, chs: ['public:roles.a'], role: 'chef' };
    expect((await rpcOf(url, key.sign(claims))('Presence', { name: 'public:roles.a' })).status).toBe(200);
  });
});

describe('IssueMgmt', () => {
  test('gives role and scopes, which the new token has', async () => {
    const { url } = await serve();
    const scopes = [{ pattern: 'public:roles.**', verbs: ['manage'] }];
    const { body } = await rpcOf(url, bearer({}))('IssueMgmt', { role: 'viewer', scopes });
    const call = rpcOf(url, String(body['mgmt_token']));
    expect((await call('ListChannels', {})).status).toBe(200);
    expect((await call('OpenPublic', { name: 'public:roles.a' })).body['msg']).toContain(
      'needs the role operator',
    );
    expect((await call('Presence', { name: 'public:other.a' })).body['msg']).toContain('does not grant');
  });

  test('never gives more than the caller has', async () => {
    const { url } = await serve();
    const scoped = rpcOf(url, bearer({ scopes: ALL }));
    expect((await scoped('IssueMgmt', {})).status).toBe(200);
    const narrow = rpcOf(url, bearer({ scopes: ALL.map(({ pat }) => ({ pat, v: ['manage'] })) }));
    const { status, body } = await narrow('IssueMgmt', {});
    expect([status, body['msg']]).toEqual([
      403,
      'issuing scope public:** is not allowed: no grant of the bearer covers it with manage, subscribe, publish',
    ]);
    const covered = [{ pattern: 'public:roles.**', verbs: ['manage'] }];
    expect((await narrow('IssueMgmt', { scopes: covered })).status).toBe(200);
  });

  test.each([
    [{ role: 'root' }, 'role must be one of viewer, operator, admin'],
    [{ scopes: [{ pattern: 'nonsense', verbs: ['manage'] }] }, 'nonsense'],
    [{ scopes: [{ pattern: 'public:**', verbs: ['read'] }] }, 'verb "read" is not known'],
    [
      { scopes: Array.from({ length: 65 }, () => ({ pattern: 'public:**', verbs: ['manage'] })) },
      'scopes must not have more than 64 entries',
    ],
  ])('refuses %j', async (request, text) => {
    const { url } = await serve();
    const { status, body } = await rpcOf(url, bearer({}))('IssueMgmt', request);
    expect(status).toBe(400);
    expect(body['msg']).toContain(text);
  });
});

describe('the role of an API key', () => {
  test.each<Role>(['viewer', 'operator', 'admin'])('%s is stored, listed, and counts', async role => {
    const { url, msg } = await serve();
    const { key: text } = await msg.apiKeys.create({ name: 'board', role });
    expect(msg.apiKeys.list()).toMatchObject([{ name: 'board', role }]);
    const { body } = await rpcOf(url, bearer({ role: 'viewer' }))('ListApiKeys', {});
    expect(body['keys']).toMatchObject([{ name: 'board', role }]);
    const opened = await rpcOf(url, text)('OpenPublic', { name: 'public:roles.a' });
    expect(opened.status).toBe(role === 'viewer' ? 403 : 200);
    const generated = await rpcOf(url, text)('GenerateKey', {});
    expect(generated.body['msg'] === undefined || role === 'admin').toBe(role === 'admin');
  });

  test('another one is refused', async () => {
    const { url } = await serve();
    const { status, body } = await rpcOf(url, bearer({}))('CreateApiKey', { name: 'board', role: 'root' });
    expect([status, body['msg']]).toEqual([400, 'role must be one of viewer, operator, admin']);
  });
});
