import { describe, expect, it } from 'vitest';
import { assertClock, systemClock } from '#src/clock/clock.ts';

describe('the system clock', () => {
  it('does not end a delay at once that no timer can wait for', async () => {
    let ended = false;
    const timer = systemClock.setTimeout(() => {
      ended = true;
    }, 2 ** 40);
    await new Promise<void>(resolve => systemClock.setTimeout(resolve, 5));
    systemClock.clearTimeout(timer);
    expect(ended).toBe(false);
  });

  it('keeps the process alive only for a timer that says so', () => {
    const timer = systemClock.setTimeout(() => {}, 60_000) as NodeJS.Timeout;
    const awaited = systemClock.setTimeout(() => {}, 60_000, true) as NodeJS.Timeout;
    expect([timer.hasRef(), awaited.hasRef()]).toEqual([false, true]);
    for (const handle of [timer, awaited]) systemClock.clearTimeout(handle);
  });

  it('runs what comes after a turn behind the reactions of promises that are ready', async () => {
    const order: string[] = [];
    const after = new Promise<void>(resolve =>
      systemClock.afterTurn(() => {
        order.push('after');
        resolve();
      }),
    );
    void Promise.resolve()
      .then(() => order.push('first'))
      .then(() => order.push('second'));
    await after;
    expect(order).toEqual(['first', 'second', 'after']);
  });

  it('is setImmediate itself after a turn, without a function around it', () => {
    expect(systemClock.afterTurn).toBe(setImmediate);
  });

  it('aborts with a TimeoutError at a deadline', async () => {
    const signal = systemClock.deadline(1);
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve));
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a clock of an embedder', () => {
  it.each(['now', 'monotonic', 'setTimeout', 'clearTimeout', 'afterTurn', 'deadline'] as const)(
    'is refused without %s, by name',
    member => {
      const clock = { ...systemClock, [member]: undefined } as typeof systemClock; // what a caller without types gives
      expect(() => assertClock(clock)).toThrow(new TypeError(`clock.${member} must be a function`));
    },
  );

  it('is taken when it has every member', () => {
    expect(() => assertClock({ ...systemClock })).not.toThrow();
  });
});
