import { describe, expect, it } from 'vitest';
import { ManualClock } from '#src/clock/testing/manual-clock.ts';

describe('a clock moved by hand', () => {
  it('stands still until it is moved, and then moves both times', async () => {
    const clock = new ManualClock(5000);
    const start = clock.monotonic();
    expect(clock.now()).toBe(5000);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic() - start]).toEqual([5250, 250]);
  });

  it('fires what is due in the order of time, then of request, at its own moment', async () => {
    const clock = new ManualClock(0);
    const fired: [string, number][] = [];
    const note = (name: string) => () => void fired.push([name, clock.now()]);
    clock.setTimeout(note('late'), 20);
    clock.setTimeout(note('first'), 10);
    clock.setTimeout(note('second'), 10);
    clock.clearTimeout(clock.setTimeout(note('cleared'), 10));
    clock.setTimeout(note('never'), 31);
    await clock.advance(30);
    expect(fired).toEqual([
      ['first', 10],
      ['second', 10],
      ['late', 20],
    ]);
    expect(clock.pending).toBe(1);
  });

  it('fires timers that others set on their way', async () => {
    const clock = new ManualClock(0);
    const fired: number[] = [];
    clock.setTimeout(() => {
      void Promise.resolve().then(() => clock.setTimeout(() => fired.push(clock.now()), 5));
    }, 5);
    await clock.advance(20);
    expect(fired).toEqual([10]);
  });

  it('lets promises settle before it moves', async () => {
    const clock = new ManualClock(0);
    const fired: number[] = [];
    void Promise.resolve().then(() => clock.setTimeout(() => fired.push(clock.now()), 5));
    await clock.advance(5);
    expect(fired).toEqual([5]);
  });

  it('jumps on the wall alone', async () => {
    const clock = new ManualClock(0);
    const start = clock.monotonic();
    let fired = false;
    clock.setTimeout(() => {
      fired = true;
    }, 10);
    clock.jump(-3_600_000);
    await clock.advance(9);
    expect([clock.now(), clock.monotonic() - start, fired]).toEqual([-3_600_000 + 9, 9, false]);
  });

  it('aborts a deadline when its time has come', async () => {
    const clock = new ManualClock();
    const signal = clock.deadline(100);
    await clock.advance(99);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('runs what comes after a turn without being moved', async () => {
    const clock = new ManualClock(0);
    await new Promise<void>(resolve => clock.afterTurn(resolve));
    expect(clock.now()).toBe(0);
  });
});
