import { TimerWheel, WheelTimer } from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('timer wheel', () => {
  it('fires every timer once, never early and at most one tick late', async () => {
    const delays = fc.array(fc.integer({ min: 0, max: 400_000 }), { minLength: 1, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(delays, async list => {
        const clock = new ManualClock();
        const wheel = new TimerWheel(clock, 1000);
        const start = clock.now();
        const fired: [delay: number, after: number][] = [];
        for (const delay of list) {
          wheel.schedule(new WheelTimer(() => fired.push([delay, clock.now() - start])), delay);
        }
        await clock.advance(402_000);
        expect(fired.map(([delay]) => delay).sort()).toEqual([...list].sort());
        for (const [delay, after] of fired) {
          expect(after).toBeGreaterThanOrEqual(delay);
          expect(after - delay).toBeLessThanOrEqual(2000);
        }
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 10 },
    );
  });

  it('takes delays beyond the limit of runtime timers, and moves and cancels', async () => {
    const clock = new ManualClock();
    const wheel = new TimerWheel(clock, 60_000);
    const fired: string[] = [];
    const far = new WheelTimer(() => fired.push('far'));
    const moved = new WheelTimer(() => fired.push('moved'));
    const cancelled = new WheelTimer(() => fired.push('cancelled'));
    wheel.schedule(far, 2 ** 31 + 1000);
    wheel.schedule(moved, 1000);
    wheel.schedule(moved, 300_000);
    wheel.schedule(cancelled, 1000);
    wheel.cancel(cancelled);
    await clock.advance(240_000);
    expect(fired).toEqual([]);
    await clock.advance(180_000);
    expect(fired).toEqual(['moved']);
    expect(wheel.size).toBe(1);
    wheel.cancel(far);
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
  });

  it('survives callbacks that cancel or reschedule their neighbours', async () => {
    const clock = new ManualClock();
    const wheel = new TimerWheel(clock);
    const fired: string[] = [];
    const second = new WheelTimer(() => fired.push('second'));
    const third = new WheelTimer(() => fired.push('third'));
    const first = new WheelTimer(() => {
      fired.push('first');
      wheel.cancel(second);
      wheel.schedule(third, 500);
    });
    for (const timer of [first, second, third]) wheel.schedule(timer, 100);
    await clock.advance(300);
    expect(fired).toEqual(['first']);
    await clock.advance(500);
    expect(fired).toEqual(['first', 'third']);
  });

  it('that was stopped fires what is scheduled later, and leaves nothing when that is cancelled', async () => {
    const clock = new ManualClock();
    const wheel = new TimerWheel(clock);
    let fired = 0;
    const [late, other] = [new WheelTimer(() => fired++), new WheelTimer(() => fired++)];
    wheel.stop();
    wheel.schedule(late, 100);
    wheel.schedule(other, 100);
    wheel.cancel(other);
    await clock.advance(300);
    expect([fired, clock.pending]).toEqual([1, 0]);
    wheel.schedule(late, 100);
    wheel.cancel(late);
    expect(clock.pending).toBe(0);
  });
});
