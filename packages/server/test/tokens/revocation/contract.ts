import type { Clock } from '@msg/engine';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RevocationStore } from '#src/tokens/revocation/contract.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const DAY = 24 * 3_600_000;

/** What every revocation store does. `create` makes an empty one on the given clock. */
export function revocationStoreContract(
  title: string,
  create: (clock: Clock) => Promise<RevocationStore>,
): void {
  describe(`revocation store: ${title}`, () => {
    let clock: FakeClock;
    let store: RevocationStore;
    beforeEach(async () => {
      clock = new FakeClock();
      store = await create(clock);
    });

    test('nothing is revoked at first, and empty ids never are', async () => {
      await store.revokeToken('', 'x');
      await store.revokeUser('', clock.now());
      expect(await store.lookup('a', 'u')).toEqual({ tokenRevoked: false, userCutoff: undefined });
      expect(await store.lookup('', '')).toEqual({ tokenRevoked: false, userCutoff: undefined });
    });

    test('a token stays revoked for at least a day, with or without a reason', async () => {
      await store.revokeToken('a', 'lost');
      await store.revokeToken('b', '');
      await clock.advance(DAY - 1);
      expect((await store.lookup('a', '')).tokenRevoked).toBe(true);
      expect((await store.lookup('b', 'u')).tokenRevoked).toBe(true);
      expect((await store.lookup('c', '')).tokenRevoked).toBe(false);
    });

    test('the cutoff of a user only moves forward', async () => {
      const first = clock.now();
      await store.revokeUser('u', first);
      await store.revokeUser('u', first - 5000);
      expect((await store.lookup('a', 'u')).userCutoff).toBe(first);
      await store.revokeUser('u', first + 5000);
      expect((await store.lookup('', 'u')).userCutoff).toBe(first + 5000);
      expect((await store.lookup('', 'v')).userCutoff).toBeUndefined();
    });
  });
}
