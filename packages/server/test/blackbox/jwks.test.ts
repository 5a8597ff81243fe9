import type { MsgServer } from '@msg/testkit';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALGORITHMS } from '../support/minting.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

const ASYMMETRIC = ALGORITHMS.filter(alg => alg !== 'HS256');

let server: MsgServer;
let rpc: ReturnType<typeof rpcOf>;
beforeAll(async () => {
  server = await startServer();
  rpc = rpcOf(server.url, server.token);
});
afterAll(() => server.stop());

const fetchKeys = () => fetch(`${server.url}/msg/jwks.json`);
const keysOf = async (): Promise<Record<string, string>[]> => {
  const { keys } = (await (await fetchKeys()).json()) as { keys: Record<string, string>[] };
  return keys;
};

test('while all keys are secrets there is nothing to publish', async () => {
  expect((await fetchKeys()).status).toBe(404);
});

test('others verify our tokens with nothing but the published keys, through every rotation', async () => {
  const keySet = createRemoteJWKSet(new URL(`${server.url}/msg/jwks.json`), { cooldownDuration: 0 });
  for (const alg of ASYMMETRIC) {
    const { body: key } = await rpc('GenerateKey', { alg });
    expect(key).toMatchObject({
      alg,
      role: 'verify-only',
      fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    await rpc('PromoteKey', { id: key['id'] });
    const { body } = await rpc('CreatePrivate', {
      name: `private:shop.jwks.${alg.toLowerCase()}`,
      subject: 'u-1',
    });
    const { payload, protectedHeader } = await jwtVerify(String(body['access_token']), keySet);
    expect(protectedHeader).toEqual({ alg, kid: key['id'], typ: 'JWT' });
    expect(payload).toMatchObject({ sub: 'u-1', typ: 'access' });
  }
  const answer = await fetchKeys();
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  const keys = await keysOf();
  expect(keys.map(({ alg }) => alg)).toEqual([...ASYMMETRIC]);
  for (const key of keys) {
    expect(key['use']).toBe('sig');
    const secret = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].filter(member => member in key);
    expect(secret).toEqual([]);
  }
});

test('a retired key is no longer published, and its tokens end', async () => {
  const [first] = await keysOf();
  const { body } = await rpc('IssueMgmt', {});
  expect((await rpc('RetireKey', { id: first?.['kid'] })).status).toBe(200);
  expect((await keysOf()).map(({ kid }) => kid)).not.toContain(first?.['kid']);
  expect((await rpcOf(server.url, String(body['mgmt_token']))('ListKeys', {})).status).toBe(200);
});

test('the last key is followed by one of its algorithm', async () => {
  const { keys, active_key_id: active } = (await rpc('ListKeys', {})).body as {
    keys: { id: string; alg: string; role: string }[];
    active_key_id: string;
  };
  const { body } = await rpc('IssueMgmt', {});
  const signed = rpcOf(server.url, String(body['mgmt_token']));
  for (const { id, role } of keys) if (role === 'verify-only') await signed('RetireKey', { id });
  const last = keys.find(({ id }) => id === active);
  expect(last?.alg).toBe('ES384');
  expect((await signed('RetireKey', { id: active })).status).toBe(200);
  const [only] = await keysOf();
  expect(only).toMatchObject({ alg: 'ES384', kid: expect.not.stringMatching(active) });
  expect((await signed('ListKeys', {})).status).toBe(401);
});

test('an unknown algorithm is refused and named', async () => {
  const other = await startServer();
  try {
    const answer = await rpcOf(other.url, other.token)('GenerateKey', { alg: 'HS512' });
    expect([answer.status, answer.code]).toEqual([400, 'MSG_INVALID_ARGUMENT']);
    expect(answer.body['msg']).toContain('RS256, EdDSA, ES256, ES384');
  } finally {
    await other.stop();
  }
});
