import { parseArgs } from 'node:util';
import { lineOf } from './lines.ts';
import { siege } from './siege.ts';

// npm run jobs:siege -- [--seed n] [--rounds 10] [--kills 4] [--letters 400]
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string' },
    kills: { type: 'string' },
    letters: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const rounds = Number(values.rounds ?? 10);
const kills = Number(values.kills ?? 4);
const letters = Number(values.letters ?? 400);

console.log(`jobs:siege: seed ${seed}, ${rounds} rounds`);
let failed = 0;
for (let round = 0; round < rounds; round++) {
  const outcome = await siege({ seed: seed + round, kills, letters });
  console.log(lineOf(outcome));
  for (const fault of outcome.faults) console.error(`  FAILED: ${fault}`);
  if (outcome.faults.length > 0) failed++;
}
console.log(`jobs:siege: seed ${seed}, ${rounds * kills} kills, ${failed} of ${rounds} rounds failed`);
if (failed > 0) process.exitCode = 1;
