import { systemRandom } from '@msg/foundation/clock';
import { beforeEach, describe, expect, test } from 'vitest';
import { generateKey, KeySet } from '#src/auth/keys/ring.ts';
import { KeyringConflict, type KeyringStore } from '#src/auth/keys/store/contract.ts';

const ringOf = async (count: number): Promise<KeySet> => {
  let ring = new KeySet([]);
  for (let index = 0; index < count; index++)
    ring = ring.with(await generateKey(systemRandom, 1_767_323_045_000 + index));
  return ring;
};

/** What every keyring store does. `create` makes two views on one empty store. */
export function keyringStoreContract(
  title: string,
  create: () => Promise<readonly [KeyringStore, KeyringStore]>,
): void {
  describe(`keyring store: ${title}`, () => {
    let here: KeyringStore;
    let there: KeyringStore;
    beforeEach(async () => {
      [here, there] = await create();
    });

    test('an empty store holds nothing', async () => {
      expect(await here.load()).toBeUndefined();
      expect(await here.probe()).toBeUndefined();
    });

    test('what one saves the other loads, under the same version', async () => {
      const ring = await ringOf(3);
      const version = await here.save(ring, undefined);
      const stored = await there.load();
      expect(stored?.version).toBe(version);
      expect(await there.probe()).toBe(version);
      const shape = (source: KeySet | undefined) =>
        source?.keys.map(key => [key.id, key.role, key.createdAt, key.material.fingerprint]);
      expect(shape(stored?.ring)).toEqual(shape(ring));
    });

    test('a write on an outdated version is a conflict and changes nothing', async () => {
      const first = await here.save(await ringOf(1), undefined);
      const second = await there.save(await ringOf(2), first);
      expect(second).not.toBe(first);
      await expect(here.save(await ringOf(3), first)).rejects.toBeInstanceOf(KeyringConflict);
      await expect(here.save(await ringOf(3), undefined)).rejects.toBeInstanceOf(KeyringConflict);
      expect((await here.load())?.ring.keys).toHaveLength(2);
      expect(await here.probe()).toBe(second);
    });
  });
}
