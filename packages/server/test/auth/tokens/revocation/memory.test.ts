import { ManualClock } from '@msg/foundation/clock/testing';
import { expect, test } from 'vitest';
import { MemoryRevocationStore } from '#src/auth/tokens/revocation/memory.ts';
import { revocationStoreContract } from '../../../support/store-contracts.ts';

revocationStoreContract('memory', async clock => new MemoryRevocationStore(clock));

test('old entries are dropped when new ones come', async () => {
  const clock = new ManualClock();
  const store = new MemoryRevocationStore(clock);
  await store.revokeToken('old', '', 24 * 3_600_000);
  await clock.advance(25 * 3_600_000);
  await store.revokeToken('new', '', 24 * 3_600_000);
  expect((await store.lookup('old', '')).tokenRevoked).toBe(false);
  expect((await store.lookup('new', '')).tokenRevoked).toBe(true);
});
