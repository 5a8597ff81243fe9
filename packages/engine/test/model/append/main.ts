import { parseArgs } from 'node:util';
import { RedisServer } from '@msg/testkit/redis';
import { RedisWorld } from './redis-world.ts';
import { playAppends, type RunResult } from './world.ts';

/** Steps of one run. */
const STEPS = 500;

// npm run model:append -- [--runs 200] [--seed n] [--redis]
const { values } = parseArgs({
  options: { runs: { type: 'string' }, seed: { type: 'string' }, redis: { type: 'boolean' } },
});
const runs = Number(values.runs ?? 200);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const redis = values.redis === true ? await RedisServer.start() : null;
const play = (run: number): Promise<RunResult> =>
  redis === null ? playAppends(run, STEPS) : new RedisWorld(redis.address, run).play(STEPS);

console.log(
  `append model: ${runs} runs of ${STEPS} steps from seed ${seed}${redis === null ? '' : ', on Redis'}`,
);
let seen = 0;
for (let run = seed; run < seed + runs; run++) {
  const result = await play(run);
  seen += result.seen;
  if (result.violation !== null) {
    console.error(`seed ${run}: ${result.violation}`);
    process.exitCode = 1;
    break;
  }
  if ((run - seed + 1) % 100 === 0) console.log(`${run - seed + 1} runs, ${seen} publications compared`);
}
await redis?.stop();
