import { describe, expect, it } from 'vitest';
import { OutboxWorker } from '#src/index.ts';
import { backoffMs } from '#src/worker/backoff.ts';

describe('waits after failures', () => {
  it('double from 100 ms to 10 s, up to half of each left to chance', () => {
    const waits = (fraction: number) =>
      [0, 1, 2, 6, 7, 30, 10_000].map(attempts => backoffMs(attempts, { fraction: () => fraction }));
    expect(waits(1)).toEqual([100, 200, 400, 6400, 10_000, 10_000, 10_000]);
    expect(waits(0)).toEqual([50, 100, 200, 3200, 5000, 5000, 5000]);
  });
});

describe('a worker', () => {
  const parts = { sql: {} as never, msg: {} as never };

  it.each([
    ['workers', 0],
    ['workers', 65],
    ['batch', 1001],
    ['batch', 1.5],
    ['pollIntervalMs', 9],
    ['waitForChannelMs', -1],
    ['maxRows', -1],
  ])('with %s %d is refused with its bounds', (name, value) => {
    const make = () => new OutboxWorker({ ...parts, [name]: value });
    expect(make).toThrow(new RegExp(`^${name} must be an integer from \\d+ to \\d+; got ${value}$`));
  });

  it('names a schema that is not a plain name', () => {
    expect(() => new OutboxWorker({ ...parts, schema: 'x"; DROP' })).toThrow(/schema/);
  });
});
