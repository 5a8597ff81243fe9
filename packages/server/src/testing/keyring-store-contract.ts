import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import { systemRandom } from '@msg/foundation/clock';
import { generateKey, KeySet } from '../auth/keys/key-set.ts';
import { KeyringConflict, type KeyringStore } from '../auth/keys/store/contract.ts';
import type { SharedSubject } from './shared-subject.ts';

const ringOf = async (count: number): Promise<KeySet> => {
  let keySet = new KeySet([]);
  for (let index = 0; index < count; index++)
    keySet = keySet.with(await generateKey(systemRandom, 1_767_323_045_000 + index));
  return keySet;
};

function promise(
  name: string,
  holds: ContractCase<SharedSubject<KeyringStore>>['holds'],
): ContractCase<SharedSubject<KeyringStore>> {
  return { name, holds };
}

/** What every keyring store does. */
export const KEYRING_STORE_CONTRACT: readonly ContractCase<SharedSubject<KeyringStore>>[] = [
  promise('an empty store holds nothing', async ({ here }) => {
    assert.equal(await here.load(), undefined);
    assert.equal(await here.probe(), undefined);
  }),

  promise('what one saves the other loads, under the same version', async ({ here, there }) => {
    const keySet = await ringOf(3);
    const version = await here.save(keySet, undefined);
    const stored = await there.load();
    assert.equal(stored?.version, version);
    assert.equal(await there.probe(), version);
    const shape = (source: KeySet | undefined) =>
      source?.keys.map(key => [key.id, key.role, key.createdAt, key.material.fingerprint]);
    assert.deepEqual(shape(stored?.keySet), shape(keySet));
  }),

  promise('a write on an outdated version is a conflict and changes nothing', async ({ here, there }) => {
    const first = await here.save(await ringOf(1), undefined);
    const second = await there.save(await ringOf(2), first);
    assert.notEqual(second, first);
    await assert.rejects(here.save(await ringOf(3), first), KeyringConflict);
    await assert.rejects(here.save(await ringOf(3), undefined), KeyringConflict);
    assert.equal((await here.load())?.keySet.keys?.length, 2);
    assert.equal(await here.probe(), second);
  }),
];
