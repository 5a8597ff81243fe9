import { describe, expect, it } from 'vitest';
import { describeFailure, play, playMany, Tally } from './run.ts';
import { scenarioOf } from './scenario.ts';

const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 2 ** 31);
const RUNS = Number(process.env['MODEL_RUNS'] ?? 10_000);

describe('the engine under random interleavings', () => {
  it('shows every client a gap-free, duplicate-free sequence and recovers it honestly', async () => {
    console.log(`model: ${RUNS} runs from seed ${SEED}`);
    const tally = new Tally();
    const failure = await playMany(SEED, RUNS, stats => tally.add(stats));
    expect(failure, failure === null ? '' : describeFailure(failure)).toBeNull();
    console.log(`model: ${tally}`);
    if (RUNS < 1000) return;
    // The storm must not be a lull: each kind of thing has to happen in many runs.
    expect(tally.deliveries).toBeGreaterThan(RUNS);
    expect(tally.recovered).toBeGreaterThan(RUNS / 10);
    expect(tally.unrecovered).toBeGreaterThan(RUNS / 10);
    expect(tally.interruptions).toBeGreaterThan(RUNS / 20);
    expect(tally.slowConsumers).toBeGreaterThan(0);
  }, 300_000);

  it('repeats a run exactly from its seed', async () => {
    for (let seed = SEED; seed < SEED + 50; seed++) {
      expect(await play(scenarioOf(seed))).toEqual(await play(scenarioOf(seed)));
    }
  });
});
