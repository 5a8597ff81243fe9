import { describe, expect, it } from 'vitest';
import { ManualClock } from '#src/clock/testing/manual-clock.ts';
import { withDeadline } from '#src/promises/deadline.ts';

const tooLate = (): never => {
  throw new Error('too late');
};

describe('work with a deadline', () => {
  it('answers as the work does when it settles in time, and leaves no timer', async () => {
    const clock = new ManualClock();
    expect(await withDeadline(clock, 100, Promise.resolve('done'), tooLate)).toBe('done');
    await expect(withDeadline(clock, 100, Promise.reject(new Error('failed')), tooLate)).rejects.toThrow(
      'failed',
    );
    expect(clock.pending).toBe(0);
  });

  it('answers what is said for late work, or throws it', async () => {
    const clock = new ManualClock();
    const never = new Promise<string>(() => {});
    const answer = withDeadline(clock, 100, never, () => 'late');
    const thrown = expect(withDeadline(clock, 100, never, tooLate)).rejects.toThrow('too late');
    let settled = false;
    void answer.then(() => {
      settled = true;
    });
    await clock.advance(99);
    expect(settled).toBe(false);
    await clock.advance(1);
    expect(await answer).toBe('late');
    await thrown;
    expect(clock.pending).toBe(0);
  });

  it('ignores work that fails after its deadline', async () => {
    const clock = new ManualClock();
    const work = Promise.withResolvers<string>();
    const answer = withDeadline(clock, 100, work.promise, () => 'late');
    await clock.advance(100);
    work.reject(new Error('much too late'));
    expect(await answer).toBe('late');
  });
});
