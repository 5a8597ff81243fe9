import { expect, test } from 'vitest';
import { systemClock } from '#src/clock/clock.ts';

test('a delay that no timer can wait for does not end at once', async () => {
  let ended = false;
  const timer = systemClock.setTimeout(() => {
    ended = true;
  }, 2 ** 40);
  await new Promise<void>(resolve => systemClock.setTimeout(resolve, 5));
  systemClock.clearTimeout(timer);
  expect(ended).toBe(false);
});
