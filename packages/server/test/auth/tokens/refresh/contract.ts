import type { Clock } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RedemptionStore } from '#src/auth/tokens/refresh/contract.ts';

const HOUR = 3_600_000;

/** What every redemption store does. `create` makes an empty one on the given clock. */
export function redemptionStoreContract(
  title: string,
  create: (clock: Clock) => Promise<RedemptionStore>,
): void {
  describe(`redemption store: ${title}`, () => {
    let clock: ManualClock;
    let store: RedemptionStore;
    beforeEach(async () => {
      clock = new ManualClock();
      store = await create(clock);
    });

    test('a token is redeemed once, also when asked many times at once', async () => {
      const until = clock.now() + HOUR;
      const answers = await Promise.all(Array.from({ length: 10 }, () => store.redeem('a', until)));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await store.redeem('b', until)).toBe(true);
      await clock.advance(HOUR - 1);
      expect(await store.redeem('a', until)).toBe(false);
    });

    test('a family is revoked until its time, and never for less than before', async () => {
      expect(await store.isFamilyRevoked('f')).toBe(false);
      await store.revokeFamily('f', clock.now() + HOUR);
      await store.revokeFamily('f', clock.now() + 1000);
      await clock.advance(HOUR - 1);
      expect(await store.isFamilyRevoked('f')).toBe(true);
      expect(await store.isFamilyRevoked('g')).toBe(false);
      await clock.advance(2);
      expect(await store.isFamilyRevoked('f')).toBe(false);
    });
  });
}
