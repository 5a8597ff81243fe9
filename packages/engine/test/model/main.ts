import { parseArgs } from 'node:util';
import { describeFailure, playMany, Tally } from './run.ts';

const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } });
const runs = Number(values.runs ?? 100_000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);

console.log(`model: ${runs} runs from seed ${seed}`);
const begun = performance.now();
const tally = new Tally();
const failure = await playMany(seed, runs, stats => {
  tally.add(stats);
  if (tally.runs % 10_000 === 0) console.log(`${tally}`);
});
console.log(`${tally}; ${Math.round((tally.runs / (performance.now() - begun)) * 1000)} runs/s`);
if (failure !== null) {
  console.error(describeFailure(failure));
  process.exitCode = 1;
}
