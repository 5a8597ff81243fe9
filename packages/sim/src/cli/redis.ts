import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { RedisCluster, RedisServer } from '@msg/testkit/redis';
import { REDIS_MUTANTS } from '../mutants/redis.ts';
import { plant } from '../platform/plant.ts';
import { BadUse } from './arguments.ts';
import { EXIT, type Print } from './exit.ts';
import { type RedisArguments, readRedisArguments } from './redis-arguments.ts';

const MAIN = join(import.meta.dirname, 'redis-main.ts');

/** Runs one command line of `npm run sim:redis` and returns the exit code. */
export async function compareWithRedis(args: readonly string[], print: Print): Promise<number> {
  try {
    const asked = readRedisArguments(args);
    return asked.hunts ? huntAll(asked, print) : await compare(asked, print);
  } catch (error) {
    if (!(error instanceof BadUse)) throw error;
    print(error.message);
    return EXIT.badUse;
  }
}

async function compare({ calls, seed, mutant, isCluster }: RedisArguments, print: Print): Promise<number> {
  if (mutant !== undefined) plant(mutant, new Map());
  // After the bug is planted.
  const { runFuzz } = await import('../fuzz/run.ts');
  const { runClusterFuzz } = await import('../fuzz/cluster/run.ts');
  const real = isCluster ? await RedisCluster.start() : await RedisServer.start();
  try {
    print(`seed ${seed}`);
    const report =
      real instanceof RedisServer
        ? await runFuzz({ calls, seed, real })
        : await runClusterFuzz({ calls, seed, real });
    for (const line of report.lines()) print(line);
    if (report.difference.length === 0) return EXIT.clean;
    print('the last of these calls is answered in another way:');
    for (const line of report.difference) print(`  ${line}`);
    return EXIT.violation;
  } finally {
    await real.stop();
  }
}

/** Says of each planted bug after how many calls it was found. One that survives is a fault of the simulator. */
function huntAll({ calls, seed, mutant }: RedisArguments, print: Print): number {
  let survivors = 0;
  for (const { name } of REDIS_MUTANTS) {
    if (name !== (mutant ?? name)) continue;
    const count = huntRedis(name, calls, seed);
    print(`${name}: ${count === undefined ? 'survived' : `found within ${count} calls`}`);
    if (count === undefined) survivors++;
  }
  return survivors === 0 ? EXIT.clean : EXIT.simulator;
}

/**
 * Compares with a planted bug, in a process of its own.
 * @returns calls until it was found; undefined: it was not
 */
export function huntRedis(name: string, calls: number, seed: number): number | undefined {
  const options = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning'];
  const args = ['--mutant', name, '--calls', String(calls), '--seed', String(seed)];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, MAIN, ...args], {
    encoding: 'utf8',
  });
  if (status !== EXIT.clean && status !== EXIT.violation) throw new Error(`the process ended: ${stderr}`);
  return status === EXIT.clean
    ? undefined
    : Number(
        stdout
          .split('\n')
          .find(line => line.endsWith(' calls'))
          ?.split(' ', 1)[0],
      );
}
