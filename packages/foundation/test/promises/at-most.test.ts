import { describe, expect, it } from 'vitest';
import { ManualClock } from '#src/clock/testing/manual-clock.ts';
import { AtMost } from '#src/promises/at-most.ts';

const WAIT_MS = 4000;

/** Two works at the same time, each of which a test ends. */
function bench() {
  const clock = new ManualClock();
  const slots = new AtMost({ most: 2, clock, waitMs: WAIT_MS, late: () => new Error('late') });
  const started: number[] = [];
  const ends = new Map<number, PromiseWithResolvers<number>>();
  const run = (work: number): Promise<number> =>
    slots.run(() => {
      started.push(work);
      const end = Promise.withResolvers<number>();
      ends.set(work, end);
      return end.promise;
    });
  const settled = (): Promise<void> => clock.advance(0);
  const end = async (work: number): Promise<void> => {
    ends.get(work)?.resolve(work);
    await settled();
  };
  return { clock, started, ends, run, end, settled };
}

describe('a bounded number of works', () => {
  it('run at the same time, the others in the order of the calls as these end', async () => {
    const { started, run, end } = bench();
    const results = [1, 2, 3, 4].map(run);
    expect(started).toEqual([1, 2]);
    await end(2);
    expect(started).toEqual([1, 2, 3]);
    await end(3);
    expect(started).toEqual([1, 2, 3, 4]);
    await end(1);
    await end(4);
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
  });

  it('gives the place of one that fails to the next', async () => {
    const { started, ends, run, end, settled } = bench();
    const failing = run(1);
    const [second, third] = [run(2), run(3)];
    ends.get(1)?.reject(new Error('failed'));
    await expect(failing).rejects.toThrow('failed');
    await settled();
    expect(started).toEqual([1, 2, 3]);
    await end(2);
    await end(3);
    expect(await Promise.all([second, third])).toEqual([2, 3]);
  });

  it('refuses one whose turn does not come in time, which takes no place', async () => {
    const { clock, started, run, end } = bench();
    const running = [run(1), run(2)];
    const late = run(3);
    const refused = expect(late).rejects.toThrow('late');
    await clock.advance(WAIT_MS);
    await refused;
    const next = run(4);
    await end(1);
    expect(started).toEqual([1, 2, 4]);
    await end(2);
    await end(4);
    expect(await Promise.all([...running, next])).toEqual([1, 2, 4]);
    expect(clock.pending).toBe(0);
  });
});
