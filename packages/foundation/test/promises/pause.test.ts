import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '#src/clock/clock.ts';
import { ManualClock } from '#src/clock/testing/manual-clock.ts';
import { pause } from '#src/promises/pause.ts';

describe('pause', () => {
  it('resolves when the time has passed', async () => {
    const clock = new ManualClock();
    const order: string[] = [];
    const pausing = pause(clock, 100).then(() => order.push('resumed'));
    await clock.advance(99);
    order.push('before');
    await clock.advance(1);
    await pausing;
    expect(order).toEqual(['before', 'resumed']);
  });

  it('resolves when the signal aborts, and leaves no timer', async () => {
    const clock = new ManualClock();
    const ended = new AbortController();
    const pausing = pause(clock, 100, ended.signal);
    ended.abort();
    await pausing;
    await pause(clock, 100, ended.signal);
    expect(clock.pending).toBe(0);
  });

  it('keeps the process alive', async () => {
    const kept: unknown[] = [];
    const clock: Clock = {
      ...systemClock,
      setTimeout(callback, ms, keepAlive) {
        kept.push(keepAlive);
        return systemClock.setTimeout(callback, ms, keepAlive);
      },
    };
    await pause(clock, 1);
    expect(kept).toEqual([true]);
  });
});
