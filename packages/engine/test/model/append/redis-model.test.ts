import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisWorld } from './redis-world.ts';

const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 2 ** 31);
const RUNS = Number(process.env['MODEL_RUNS'] ?? 8);
const STEPS = 500;

let redis: RedisServer;
beforeAll(async () => {
  redis = await RedisServer.start();
}, 60_000);
afterAll(() => redis.stop());

it(`on two nodes and one Redis, every reader holds a prefix, and in the end all of it; ${RUNS} runs from seed ${SEED}`, async () => {
  const answers = new Map<string, number>();
  const totals = { recovered: 0, unrecovered: 0, seen: 0 };
  for (let seed = SEED; seed < SEED + RUNS; seed++) {
    const run = await new RedisWorld(redis.address, seed).play(STEPS);
    expect(run.violation, `npm run model:append -- --redis --runs 1 --seed ${seed}`).toBeNull();
    for (const [name, count] of run.answers) answers.set(name, (answers.get(name) ?? 0) + count);
    totals.recovered += run.recovered;
    totals.unrecovered += run.unrecovered;
    totals.seen += run.seen;
  }
  console.log(`${RUNS * STEPS} steps; ${[...answers].join(' ')}; ${JSON.stringify(totals)}`);
  expect(answers.get('applied')).toBeGreaterThan(0);
  expect(totals.seen).toBeGreaterThan(0);
}, 600_000);
