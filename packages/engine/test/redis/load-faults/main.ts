import { parseArgs } from 'node:util';
import { run } from './run.ts';
import { SCENARIOS } from './scenarios.ts';
import { problems, summary } from './verdict.ts';

// npm run faults -- [--rounds 10] [--seed n] [--only <part of a name>]
const { values } = parseArgs({
  options: { rounds: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
});
const rounds = Number(values.rounds ?? 10);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const chosen = SCENARIOS.filter(({ name }) => name.includes(values.only ?? ''));

console.log(`faults: ${rounds} rounds of ${chosen.length} faults from seed ${seed}`);
let failures = 0;
for (let round = 0; round < rounds; round++) {
  for (const scenario of chosen) {
    try {
      const outcome = await run(scenario, seed + round);
      console.log(summary(scenario.name, seed + round, outcome));
      const found = problems(scenario, outcome);
      if (found.length === 0) continue;
      console.error(`  FAILED: ${found.join('; ')}`);
    } catch (error) {
      console.error(`${scenario.name} (seed ${seed + round}) FAILED:`, error);
    }
    failures++;
  }
}
console.log(`${rounds * chosen.length} faults, ${failures} failed, from seed ${seed}`);
if (failures > 0) process.exitCode = 1;
