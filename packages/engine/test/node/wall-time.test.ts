import { expect, it } from 'vitest';
import { WallTime } from '#src/node/wall-time.ts';

const BEGIN = Date.UTC(2026, 0, 2);

it('a moment keeps its time while fractions of the clocks pass, and moves with a wall clock that is set', () => {
  let [now, monotonic] = [BEGIN, 1000.4];
  const times = new WallTime({ now: () => now, monotonic: () => monotonic });
  const first = times.of(500_000);
  for (let n = 0; n < 100; n++) {
    // The wall clock tells whole milliseconds, monotonic time fractions; a day is a second short.
    monotonic += 864_000.0193;
    now = Math.floor(BEGIN + (monotonic - 1000.4) * 0.99999);
    expect(times.of(500_000)).toBe(first);
  }
  now -= 3_600_000;
  expect(Math.abs(times.of(500_000) - first + 3_600_000)).toBeLessThan(1001);
});
