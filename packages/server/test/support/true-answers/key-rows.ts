import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { expect } from 'vitest';
import { temporaryFolder } from '../folders.ts';
import { keyringDocument, nowSeconds, TestKey } from '../minting.ts';
import { manifestOf } from '../rpc.ts';
import { onMemory } from '../store-of-run.ts';
import { type MethodRow, methodRow } from './row.ts';
import { type Stage, signerOf } from './stage.ts';

const identified = ({ id = '' }) => [id];

/** The ids of the published keys. */
async function published(stage: Stage): Promise<readonly unknown[]> {
  const { status, body } = await stage.get('/msg/jwks.json');
  if (status === 404) return [];
  return (body['keys'] as readonly { readonly kid: string }[]).map(({ kid }) => kid); // a key set
}

async function newBearer(stage: Stage): Promise<string> {
  return (await stage.client().call('IssueMgmt', {})).mgmt_token;
}

/** Brings a key from outside into the stored keyring; it verifies there, and the key that signs stays. */
export async function bringKey(stage: Stage, key: TestKey): Promise<string> {
  const file = join(await temporaryFolder(), 'ring.json');
  await writeFile(file, keyringDocument(stage.key, key));
  return file;
}

/** A management bearer that a test signs. */
export function bearerOf(key: TestKey): string {
  const iat = nowSeconds();
  return key.sign({ sub: 'operator', typ: 'mgmt', iat, exp: iat + 600 });
}

/** The signing keys. Every row leaves the stage's own key as the one that signs. */
export const keyRows: readonly MethodRow[] = [
  methodRow('ListKeys', { name: 'keys list', line: () => [] }, async (ask, stage) => {
    const client = stage.client();
    const { id: spare } = await client.call('GenerateKey', { alg: 'EdDSA' });
    const { id: ended } = await client.call('GenerateKey', { alg: 'EdDSA' });
    await client.call('PromoteKey', { id: spare });
    const bearer = await newBearer(stage);
    await client.call('PromoteKey', { id: ended });
    const refused = await newBearer(stage);
    await client.call('PromoteKey', { id: stage.key.kid });
    await client.call('RetireKey', { id: ended });
    const { active_key_id, keys } = await ask({});
    return async () => {
      const roleOf = (id: string) => keys.find(key => key.id === id)?.role;
      expect(active_key_id).toBe(stage.key.kid);
      expect([stage.key.kid, spare, ended].map(roleOf)).toEqual(['active', 'verify-only', 'retired']);
      expect(signerOf(await newBearer(stage))).toBe(active_key_id);
      expect([await stage.accepts(bearer), await stage.accepts(refused)]).toEqual([true, false]);
      const live = keys.filter(({ alg, role }) => alg === 'EdDSA' && role !== 'retired').map(({ id }) => id);
      expect((await published(stage)).toSorted()).toEqual(live.toSorted());
    };
  }),
  methodRow(
    'GenerateKey',
    { name: 'keys generate', line: ({ alg = '' }) => ['--alg', alg] },
    async (ask, stage) => {
      const { id, role } = await ask({ alg: 'EdDSA' });
      return async () => {
        expect(await published(stage)).toContain(id);
        expect(role).toBe('verify-only');
        expect(signerOf(await newBearer(stage))).toBe(stage.key.kid);
        const { stdout } = await stage.command(['keys', 'export', ...stage.keyring]);
        expect(JSON.parse(stdout).keys).toContainEqual(expect.objectContaining({ id, role, alg: 'EdDSA' }));
      };
    },
  ),
  methodRow(
    'PromoteKey',
    { name: 'keys promote', line: identified, answer: () => ({}) },
    async (ask, stage) => {
      const { id } = await stage.client().call('GenerateKey', { alg: 'EdDSA' });
      const before = await newBearer(stage);
      await ask({ id });
      return async () => {
        const bearer = await newBearer(stage);
        const manifest = await manifestOf(stage.server.url);
        const keySet = createRemoteJWKSet(new URL(`${stage.server.url}/msg/jwks.json`));
        const { protectedHeader } = await jwtVerify(bearer, keySet);
        const accepted = [await stage.accepts(before), await stage.accepts(bearer)];
        await stage.client().call('PromoteKey', { id: stage.key.kid });
        expect([protectedHeader.kid, manifest.active_key_id]).toEqual([id, id]);
        expect(accepted).toEqual([true, true]);
      };
    },
  ),
  methodRow(
    'RetireKey',
    { name: 'keys retire', line: identified, answer: () => ({}) },
    async (ask, stage) => {
      const client = stage.client();
      const { id } = await client.call('GenerateKey', { alg: 'EdDSA' });
      await client.call('PromoteKey', { id });
      const [bearer, pair] = [await newBearer(stage), await stage.created()];
      await client.call('PromoteKey', { id: stage.key.kid });
      const listener = await stage.listener(pair.name, pair.access_token);
      expect([await stage.accepts(bearer), await published(stage)]).toEqual([
        true,
        expect.arrayContaining([id]),
      ]);
      await ask({ id });
      return async () => {
        expect(await stage.accepts(bearer)).toBe(false);
        expect(await listener.ended).toBe(103);
        expect(await stage.subscribe(pair.name, pair.access_token)).not.toBe('subscribed');
        expect(await published(stage)).not.toContain(id);
        expect((await stage.rpc('PromoteKey', { id })).code).toBe('MSG_INVALID_ARGUMENT');
      };
    },
  ),
  methodRow('KeyUsage', { name: 'keys usage', line: () => [] }, async (ask, stage) => {
    const client = stage.client();
    const { id } = await client.call('GenerateKey', { alg: 'EdDSA' });
    await client.call('PromoteKey', { id });
    const pair = await stage.created('kay');
    await client.call('PromoteKey', { id: stage.key.kid });
    const listener = await stage.listener(pair.name, pair.access_token);
    const { keys, missing_nodes } = await ask({});
    return async () => {
      expect(missing_nodes).toEqual([]);
      const of = (kid: string) => keys.find(key => key.kid === kid);
      expect(of(stage.key.kid)).toMatchObject({ role: 'active', verdict: 'active' });
      expect(of(id)).toMatchObject({ verdict: 'in_use', live_connections: 1, live_subscriptions: 1 });
      expect(of(id)?.holders).toMatchObject([
        { sub: 'kay', type: 'access', expires_unix: pair.access_expires_unix },
      ]);
      await client.call('RetireKey', { id });
      expect(await listener.ended).toBe(103);
    };
  }),
  methodRow('ReloadKeys', { name: 'keys reload', line: () => [], answer: () => ({}) }, async (ask, stage) => {
    const key = new TestKey();
    const imported = await stage.command(['keys', 'import', await bringKey(stage, key), ...stage.keyring]);
    expect(imported.code).toBe(0);
    // The nodes on a shared store learn of an import by themselves.
    if (onMemory) expect(await stage.accepts(bearerOf(key))).toBe(false);
    await ask({});
    return async () => {
      expect(await stage.accepts(bearerOf(key))).toBe(true);
    };
  }),
];
