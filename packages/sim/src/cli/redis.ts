import { RedisServer } from '@msg/testkit/redis';
import { runFuzz } from '../fuzz/run.ts';
import { BadUse } from './arguments.ts';
import { EXIT, type Print } from './exit.ts';
import { type RedisArguments, readRedisArguments } from './redis-arguments.ts';

/** Runs one command line of `npm run sim:redis` and returns the exit code. */
export async function compareWithRedis(args: readonly string[], print: Print): Promise<number> {
  try {
    return await compare(readRedisArguments(args), print);
  } catch (error) {
    if (!(error instanceof BadUse)) throw error;
    print(error.message);
    return EXIT.badUse;
  }
}

async function compare({ calls, seed }: RedisArguments, print: Print): Promise<number> {
  const real = await RedisServer.start();
  try {
    print(`seed ${seed}`);
    const report = await runFuzz({ calls, seed, real });
    for (const line of report.lines()) print(line);
    if (report.difference.length === 0) return EXIT.clean;
    print('the last of these calls is answered in another way:');
    for (const line of report.difference) print(`  ${line}`);
    return EXIT.violation;
  } finally {
    await real.stop();
  }
}
