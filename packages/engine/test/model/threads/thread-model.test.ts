import { expect, it } from 'vitest';
import { findFailing, play, Tally } from './run.ts';

const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 2 ** 31);
const RUNS = Number(process.env['MODEL_RUNS'] ?? 20_000);

it('every thread gets each publication once and in order, or is told of the gap, whatever its link and its siblings do', async () => {
  console.log(`model over links: ${RUNS} runs from seed ${SEED}`);
  const tally = new Tally();
  const failure = await findFailing(SEED, RUNS, tally);
  expect(failure, `npm run model:threads -- --runs 1 --seed ${failure?.seed}`).toBeNull();
  console.log(`model over links: ${tally}`);
  if (RUNS < 1000) return;
  // The storm must not be a lull.
  expect(tally.received).toBeGreaterThan(RUNS * 5);
  expect(tally.gaps).toBeGreaterThan(RUNS / 20);
  expect(tally.deaths).toBeGreaterThan(RUNS / 5);
  expect(tally.positions).toBeGreaterThan(RUNS / 20);
}, 600_000);

it('a run is repeated exactly from its seed', async () => {
  for (let seed = SEED; seed < SEED + 50; seed++) {
    const [first, second] = [new Tally(), new Tally()];
    expect([await play(seed, first), { ...first }]).toEqual([await play(seed, second), { ...second }]);
  }
});
