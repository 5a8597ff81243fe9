import { expect, test } from 'vitest';
import { MemoryTokenStore } from '#src/stores/token-store.ts';

test('the memory store gives back the last pair until it is cleared', async () => {
  const store = new MemoryTokenStore();
  const pair = { accessToken: 'a', refreshToken: 'r', accessExp: 10, refreshExp: 20 };
  expect(await store.get()).toBeNull();
  await store.set(pair);
  await store.set({ ...pair, accessToken: 'b' });
  expect(await store.get()).toEqual({ ...pair, accessToken: 'b' });
  await store.clear();
  expect(await store.get()).toBeNull();
});
