import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import { systemRandom } from '@msg/foundation/clock';
import { generateKey, KeySet } from '../auth/keys/ring.ts';
import { KeyringConflict, type KeyringStore } from '../auth/keys/store/contract.ts';
import type { SharedSubject } from './shared-subject.ts';

const ringOf = async (count: number): Promise<KeySet> => {
  let ring = new KeySet([]);
  for (let index = 0; index < count; index++)
    ring = ring.with(await generateKey(systemRandom, 1_767_323_045_000 + index));
  return ring;
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
    const ring = await ringOf(3);
    const version = await here.save(ring, undefined);
    const stored = await there.load();
    assert.equal(stored?.version, version);
    assert.equal(await there.probe(), version);
    const shape = (source: KeySet | undefined) =>
      source?.keys.map(key => [key.id, key.role, key.createdAt, key.material.fingerprint]);
    assert.deepEqual(shape(stored?.ring), shape(ring));
  }),

  promise('a write on an outdated version is a conflict and changes nothing', async ({ here, there }) => {
    const first = await here.save(await ringOf(1), undefined);
    const second = await there.save(await ringOf(2), first);
    assert.notEqual(second, first);
    await assert.rejects(here.save(await ringOf(3), first), KeyringConflict);
    await assert.rejects(here.save(await ringOf(3), undefined), KeyringConflict);
    assert.equal((await here.load())?.ring.keys?.length, 2);
    assert.equal(await here.probe(), second);
  }),
];
