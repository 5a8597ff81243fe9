import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { lineOf, totalOf } from './lines.ts';
import { type Outcome, run } from './run.ts';

// npm run outbox:kill -- [--seed n] [--rounds 10] [--kills 210] [--transactions 105000]
// A seed goes on where an interrupted run with it ended: rounds that passed are read from .tmp/outbox-kill.
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string' },
    kills: { type: 'string' },
    transactions: { type: 'string' },
    verbose: { type: 'boolean' },
  },
});
const rounds = Number(values.rounds ?? 10);
const kills = Number(values.kills ?? 210);
const transactions = Number(values.transactions ?? 105_000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const folder = new URL('../../.tmp/outbox-kill/', import.meta.url).pathname;
const file = `${folder}${seed}-${rounds}-${kills}-${transactions}.json`;

function before(): Outcome[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Outcome[];
  } catch {
    return [];
  }
}

let stop: () => Promise<void> = async () => undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().finally(() => process.exit(1)));

console.log(`outbox:kill: seed ${seed}, ${rounds} rounds`);
const passed = before();
for (const outcome of passed) console.log(`${lineOf(outcome)}, of an earlier run`);
let failed = 0;
for (let round = passed.length; round < rounds; round++) {
  const outcome = await run({
    seed: seed + round,
    strikes: Math.ceil(kills / rounds),
    transactions: Math.ceil(transactions / rounds),
    onOpen: stopped => {
      stop = stopped;
    },
    onStrike: name => values.verbose === true && console.log(`  ${process.uptime().toFixed(1)} s: ${name}`),
  });
  console.log(lineOf(outcome));
  for (const fault of outcome.faults) console.error(`  FAILED: ${fault}`);
  if (outcome.faults.length > 0) {
    failed++;
    continue;
  }
  passed.push(outcome);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(passed));
}
console.log(totalOf(seed, passed, failed));
if (failed > 0) process.exitCode = 1;
