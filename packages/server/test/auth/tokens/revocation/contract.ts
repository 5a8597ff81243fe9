import type { Clock } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RevocationStore } from '#src/auth/tokens/revocation/contract.ts';

const DAY = 24 * 3_600_000;

/** What every revocation store does. `create` makes an empty one on the given clock. */
export function revocationStoreContract(
  title: string,
  create: (clock: Clock) => Promise<RevocationStore>,
): void {
  describe(`revocation store: ${title}`, () => {
    let clock: ManualClock;
    let store: RevocationStore;
    beforeEach(async () => {
      clock = new ManualClock();
      store = await create(clock);
    });

    test('nothing is revoked at first, and empty ids never are', async () => {
      await store.revokeToken('', 'x', DAY);
      await store.revokeUser('', clock.now(), DAY);
      expect(await store.lookup('a', 'u')).toEqual({ tokenRevoked: false, userCutoff: undefined });
      expect(await store.lookup('', '')).toEqual({ tokenRevoked: false, userCutoff: undefined });
    });

    test('a token stays revoked as long as was asked for, with or without a reason', async () => {
      await store.revokeToken('a', 'lost', DAY);
      await store.revokeToken('b', '', DAY);
      await clock.advance(DAY - 1);
      expect((await store.lookup('a', '')).tokenRevoked).toBe(true);
      expect((await store.lookup('b', 'u')).tokenRevoked).toBe(true);
      expect((await store.lookup('c', '')).tokenRevoked).toBe(false);
    });

    test('what is asked for shorter does not shorten what was asked for before', async () => {
      await store.revokeUser('u', clock.now(), DAY);
      await store.revokeUser('u', clock.now(), 1000);
      await clock.advance(DAY - 1);
      expect((await store.lookup('', 'u')).userCutoff).toBeDefined();
    });

    test('the cutoff of a user only moves forward', async () => {
      const first = clock.now();
      await store.revokeUser('u', first, DAY);
      await store.revokeUser('u', first - 5000, DAY);
      expect((await store.lookup('a', 'u')).userCutoff).toBe(first);
      await store.revokeUser('u', first + 5000, DAY);
      expect((await store.lookup('', 'u')).userCutoff).toBe(first + 5000);
      expect((await store.lookup('', 'v')).userCutoff).toBeUndefined();
    });
  });
}
