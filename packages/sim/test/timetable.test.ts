import { describe, expect, it } from 'vitest';
import { Kernel } from '../src/kernel/kernel.ts';
import { drawRounds } from '../src/plan/steps.ts';
import { isInStorm, roundsOf } from '../src/plan/timetable.ts';

const LENGTHS = { stormMs: 180_000, calmMs: 120_000, quietMs: 20_000 };

describe('the rounds of a run', () => {
  it('are one storm and its calm without a length', () => {
    expect(roundsOf({ ...LENGTHS, hours: undefined }).all).toEqual([
      { fromMs: 0, calmFromMs: 180_000, quietFromMs: 280_000, endMs: 300_000 },
    ]);
  });

  it.each([
    [1, 12],
    [1.54, 18],
    [24, 288],
    [0.05, 1],
  ])('fill %d hours with %d rounds of equal length', (hours, count) => {
    const rounds = roundsOf({ ...LENGTHS, hours }).all;
    expect(rounds).toHaveLength(count);
    expect(rounds.at(-1)?.endMs).toBeCloseTo(hours * 3_600_000, -2);
    for (const [i, { fromMs, calmFromMs, endMs }] of rounds.entries()) {
      expect(fromMs).toBe(rounds[i - 1]?.endMs ?? 0);
      expect(endMs - calmFromMs).toBe(120_000);
      expect(calmFromMs).toBeGreaterThan(fromMs);
    }
  });

  it('have a storm where the hours are fewer than a calm', () => {
    expect(roundsOf({ ...LENGTHS, hours: 0.001 }).all).toEqual([
      { fromMs: 0, calmFromMs: 10_000, quietFromMs: 110_000, endMs: 130_000 },
    ]);
  });

  it('tell whether a moment is in a storm', () => {
    const rounds = roundsOf({ ...LENGTHS, hours: 1 });
    const moments = [0, 180_000, 180_001, 299_999, 300_000, 3_480_000, 3_480_001, 9_999_999];
    const expected = [true, true, false, false, true, true, false, false];
    expect(moments.map(ms => isInStorm(rounds, ms))).toEqual(expected);
  });

  it('have faults in every storm and in no calm', () => {
    const kernel = new Kernel({ seed: '1' });
    const rounds = roundsOf({ ...LENGTHS, hours: 2 }).all;
    const steps = drawRounds(purpose => kernel.stream(purpose), [{ name: 'cut', weight: 1 }], 5000, rounds);
    for (const { fromMs, calmFromMs, endMs } of rounds) {
      const ofRound = steps.filter(({ atMs }) => atMs >= fromMs && atMs < endMs);
      expect(ofRound.length).toBeGreaterThan(10);
      expect(ofRound.every(({ atMs }) => atMs <= calmFromMs)).toBe(true);
    }
    expect(new Set(steps.map(({ draw }) => draw)).size).toBe(steps.length);
  });
});
