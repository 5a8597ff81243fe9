import { expect, it } from 'vitest';
import { playAppends } from './world.ts';

const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 2 ** 31);
const RUNS = Number(process.env['MODEL_RUNS'] ?? 60);
const STEPS = 500;

it(`every reader holds a prefix of what the producer wrote, and in the end all of it; ${RUNS} runs from seed ${SEED}`, async () => {
  const answers = new Map<string, number>();
  const totals = { recovered: 0, unrecovered: 0, seen: 0 };
  for (let seed = SEED; seed < SEED + RUNS; seed++) {
    const run = await playAppends(seed, STEPS);
    expect(
      run.violation,
      `MODEL_SEED=${seed} MODEL_RUNS=1 npx vitest run packages/engine/test/model/append`,
    ).toBeNull();
    for (const [name, count] of run.answers) answers.set(name, (answers.get(name) ?? 0) + count);
    totals.recovered += run.recovered;
    totals.unrecovered += run.unrecovered;
    totals.seen += run.seen;
  }
  console.log(`append model: ${RUNS * STEPS} steps; ${[...answers].join(' ')}; ${JSON.stringify(totals)}`);
  for (const name of ['applied', 'gap', 'fenced', 'busy', 'closed', 'not_found']) {
    expect(answers.get(name), name).toBeGreaterThan(0);
  }
  expect(Math.min(totals.recovered, totals.unrecovered)).toBeGreaterThan(0);
}, 300_000);
