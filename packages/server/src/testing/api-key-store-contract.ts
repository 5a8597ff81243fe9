import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import type { ApiKeyStore, StoredApiKey } from '../auth/api-keys/store/contract.ts';
import type { SharedSubject } from './shared-subject.ts';

function key(name: string, revision: string): StoredApiKey {
  const sha256 = revision.padEnd(64, '0');
  return {
    name,
    revision,
    createdAtMs: 1_767_323_045_000,
    expiresAtMs: 1_767_423_045_000,
    role: 'operator',
    grants: [{ pattern: 'public:app.**', verbs: ['publish', 'manage'] }],
    secrets: [
      { id: 'abcdefgh', sha256, expiresAtMs: 1_767_333_045_000 },
      { id: '', sha256: sha256.replace(/0$/, '1') },
    ],
  };
}

function byName(keys: readonly StoredApiKey[]): readonly StoredApiKey[] {
  return keys.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function promise(
  name: string,
  holds: ContractCase<SharedSubject<ApiKeyStore>>['holds'],
): ContractCase<SharedSubject<ApiKeyStore>> {
  return { name, holds };
}

/** What every store of API keys does. */
export const API_KEY_STORE_CONTRACT: readonly ContractCase<SharedSubject<ApiKeyStore>>[] = [
  promise('an empty store holds nothing', async ({ here }) => {
    assert.deepEqual(await here.load(), []);
  }),

  promise('what one writes the other loads, with every member', async ({ here, there }) => {
    assert.equal(await here.replace('a', undefined, key('a', 'aa')), true);
    assert.equal(await there.replace('b', undefined, key('b', 'bb')), true);
    const all = [key('a', 'aa'), key('b', 'bb')];
    assert.deepEqual(byName(await here.load()), all);
    assert.deepEqual(byName(await there.load()), all);
  }),

  promise('a key without grants and ends is loaded without them', async ({ here, there }) => {
    const { expiresAtMs: _, ...endless } = { ...key('a', 'aa'), grants: [] };
    const bare = { ...endless, secrets: [{ id: 'abcdefgh', sha256: 'a'.repeat(64) }] };
    await here.replace('a', undefined, bare);
    assert.deepEqual(await there.load(), [bare]);
  }),

  promise('a write on another revision changes nothing', async ({ here, there }) => {
    await here.replace('a', undefined, key('a', 'aa'));
    assert.equal(await there.replace('a', undefined, key('a', 'cc')), false);
    assert.equal(await there.replace('a', 'bb', key('a', 'cc')), false);
    assert.equal(await there.replace('a', 'bb', undefined), false);
    assert.equal(await there.replace('b', 'bb', undefined), false);
    assert.deepEqual(await here.load(), [key('a', 'aa')]);
  }),

  promise('a key is replaced and removed at the revision that was seen', async ({ here, there }) => {
    await here.replace('a', undefined, key('a', 'aa'));
    assert.equal(await there.replace('a', 'aa', key('a', 'bb')), true);
    assert.deepEqual(await here.load(), [key('a', 'bb')]);
    assert.equal(await here.replace('a', 'bb', undefined), true);
    assert.deepEqual(await there.load(), []);
  }),

  promise('of two writers at once one wins', async ({ here, there }) => {
    await here.replace('a', undefined, key('a', 'aa'));
    const wrote = await Promise.all([
      here.replace('a', 'aa', key('a', 'bb')),
      there.replace('a', 'aa', key('a', 'cc')),
    ]);
    const winner = wrote[0] ? 'bb' : 'cc';
    assert.equal(wrote.filter(Boolean).length, 1);
    assert.deepEqual(await here.load(), [key('a', winner)]);
  }),
];
