import { expect, test } from 'vitest';
import { MemoryRevocationStore } from '#src/tokens/revocation/memory.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { revocationStoreContract } from './contract.ts';

revocationStoreContract('memory', async clock => new MemoryRevocationStore(clock));

test('old entries are dropped when new ones come', async () => {
  const clock = new FakeClock();
  const store = new MemoryRevocationStore(clock);
  await store.revokeToken('old', '');
  await clock.advance(25 * 3_600_000);
  await store.revokeToken('new', '');
  expect((await store.lookup('old', '')).tokenRevoked).toBe(false);
  expect((await store.lookup('new', '')).tokenRevoked).toBe(true);
});
