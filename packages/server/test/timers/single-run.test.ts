import { describe, expect, it } from 'vitest';
import { SingleRun } from '#src/timers/single-run.ts';

describe('work that runs one at a time', () => {
  it('runs once more after a run during which it was asked for, however often', async () => {
    const gates: (() => void)[] = [];
    let finished = 0;
    const single = new SingleRun(async () => {
      await new Promise<void>(resolve => gates.push(resolve));
      finished++;
    });
    const first = single.run();
    const second = single.run();
    const third = single.run();
    expect(gates).toHaveLength(1);
    gates[0]?.();
    await expect.poll(() => gates.length).toBe(2);
    expect(finished).toBe(1);
    gates[1]?.();
    await Promise.all([first, second, third, single.idle()]);
    expect(finished).toBe(2);
    const later = single.run();
    gates[2]?.();
    await later;
    expect([finished, gates.length]).toEqual([3, 3]);
  });

  it('is idle before its first run', async () => {
    await new SingleRun(() => Promise.reject(new Error('not run'))).idle();
  });
});
