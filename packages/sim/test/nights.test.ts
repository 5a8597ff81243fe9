import { describe, expect, it } from 'vitest';
import { Kernel } from '../src/kernel/kernel.ts';
import { roundsOf } from '../src/plan/timetable.ts';
import { nightsOf } from '../src/world/standard/nights.ts';

describe('the nights of a run', () => {
  it.each(['1', '2', '3', '4'])('are in the storms, and last a tenth of one at least: seed %s', seed => {
    const rounds = roundsOf({ stormMs: 3_600_000, calmMs: 150_000, quietMs: 50_000, hours: 6 }).all;
    const nights = nightsOf(new Kernel({ seed }).stream('nights'), rounds);
    expect(nights).toHaveLength(rounds.length);
    for (const [i, { fromMs, untilMs }] of nights.entries()) {
      const round = rounds[i];
      if (round === undefined) expect.fail('a night without a round');
      expect(fromMs).toBeGreaterThan(round.fromMs);
      expect(untilMs).toBeLessThan(round.calmFromMs);
      expect(untilMs - fromMs).toBeGreaterThanOrEqual((round.calmFromMs - round.fromMs) / 10);
    }
  });
});
