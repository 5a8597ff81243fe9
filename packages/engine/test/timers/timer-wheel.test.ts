import { TimerWheel, WheelTimer } from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** Slots of a wheel times its tick. */
const ROUND_MS = 1024 * 100;

/** Counts how often a timer of the clock fires. */
class CountingClock extends ManualClock {
  wakes = 0;

  override setTimeout(callback: () => void, ms: number): object {
    return super.setTimeout(() => {
      this.wakes++;
      callback();
    }, ms);
  }
}

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
    expect(clock.pending).toBe(0);
  });

  it('sleeps until the next timer, however far it is, and once a round while it is farther', async () => {
    const clock = new CountingClock();
    const wheel = new TimerWheel(clock);
    const fired: number[] = [];
    const timer = new WheelTimer(() => fired.push(clock.monotonic()));
    const start = clock.monotonic();
    wheel.schedule(timer, 50_000);
    await clock.advance(60_000);
    expect([fired, clock.wakes, clock.pending]).toEqual([[start + 50_000], 1, 0]);
    wheel.schedule(timer, 250_000);
    await clock.advance(260_000);
    expect(fired[1]).toBe(start + 310_000);
    expect(clock.wakes).toBeLessThanOrEqual(1 + Math.ceil(250_000 / ROUND_MS));
  });

  it('wakes earlier for a timer that is scheduled while it sleeps', async () => {
    const clock = new CountingClock();
    const wheel = new TimerWheel(clock);
    const fired: string[] = [];
    wheel.schedule(new WheelTimer(() => fired.push('late')), 40_000);
    await clock.advance(5000);
    wheel.schedule(new WheelTimer(() => fired.push('early')), 300);
    await clock.advance(300);
    expect(fired).toEqual(['early']);
    await clock.advance(35_000);
    expect([fired, clock.pending]).toEqual([['early', 'late'], 0]);
  });

  it('fires every timer of any schedule in time, also those scheduled and moved while it fires', async () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 150_000 }),
      delay: fc.integer({ min: 0, max: 300_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
        const clock = new ManualClock();
        const wheel = new TimerWheel(clock);
        const late: number[] = [];
        const schedule = (delay: number, again: boolean): void => {
          const due = clock.monotonic() + delay;
          const timer = new WheelTimer(() => {
            late.push(clock.monotonic() - due);
            if (again) schedule(delay, false);
          });
          wheel.schedule(timer, delay);
        };
        for (const { wait, delay } of steps) {
          schedule(delay, true);
          await clock.advance(wait);
        }
        await clock.advance(601_000);
        expect(late).toHaveLength(2 * steps.length);
        for (const ms of late) {
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThanOrEqual(100);
        }
        expect([wheel.size, clock.pending]).toEqual([0, 0]);
      }),
      { numRuns: 30 },
    );
  });

  it('fires the neighbours of a timer whose callback throws', async () => {
    const clock = new ManualClock();
    const wheel = new TimerWheel(clock);
    const fired: string[] = [];
    wheel.schedule(
      new WheelTimer(() => {
        throw new Error('planted');
      }),
      100,
    );
    wheel.schedule(new WheelTimer(() => fired.push('neighbour')), 100);
    await expect(clock.advance(100)).rejects.toThrow('planted');
    await clock.advance(100);
    expect([fired, clock.pending]).toEqual([['neighbour'], 0]);
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
