import { parseArgs } from 'node:util';
import { findFailing, Tally } from './run.ts';

// npm run model:threads -- [--seed n] [--runs n]
const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } });
const runs = Number(values.runs ?? 100_000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);

console.log(`model over links: ${runs} runs from seed ${seed}`);
const begun = performance.now();
const tally = new Tally();
const failure = await findFailing(seed, runs, tally, false, () => {
  if (tally.runs % 10_000 === 0) console.log(`${tally}`);
});
console.log(`${tally}; ${Math.round((tally.runs / (performance.now() - begun)) * 1000)} runs/s`);
if (failure !== null) {
  console.error(`run ${failure.run} (seed ${failure.seed}): ${failure.violation}`);
  process.exitCode = 1;
}
