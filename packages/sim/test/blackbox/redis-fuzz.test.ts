import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit.ts';
import { compareWithRedis } from '../../src/cli/redis.ts';
import { SCRIPTS } from '../../src/fuzz/draw-scripts.ts';
import { runFuzz } from '../../src/fuzz/run.ts';

/** The amount of CI. */
const CALLS = 50_000;
const seed = Number(process.env['MSG_SEED'] ?? 1);

describe('the simulated Redis', () => {
  let real: RedisServer;
  beforeAll(async () => {
    real = await RedisServer.start();
  });
  afterAll(() => real.stop());

  it(`answers ${CALLS} drawn calls as a real server does (seed ${seed})`, async () => {
    const report = await runFuzz({ calls: CALLS, seed, real });
    expect(report.difference).toEqual([]);
    expect(report.calls).toBeGreaterThanOrEqual(CALLS);
    // What the service sends most, and what ends connections, is among them.
    for (const name of [
      'set',
      'hset',
      'xadd',
      'xrange',
      'zadd',
      'pexpire',
      'publish',
      'subscribe',
      'exec',
      'quit',
    ])
      expect(report.names.get(name), name).toBeGreaterThan(20);
    for (const { name } of SCRIPTS) expect(report.names.get(name), name).toBeGreaterThan(20);
    expect(report.errors.length).toBeGreaterThan(40);
  }, 120_000);
});

describe('npm run sim:redis', () => {
  it.each([
    [['--cals', '3'], 'option --cals is not known; the nearest is --calls'],
    [['--calls', 'x'], '--calls must be a whole number of at least 1; got "x"'],
    [['--seed'], '--seed must be a whole number of at least 1; got true'],
    [['play'], 'only options are expected, or mutants or cluster before them; got play'],
    [['--mutant', 'nx-ignored'], 'mutant "nx-ignored" is not known; the nearest is "nx-ignored-with-px"'],
  ])('refuses %j with a reason', async (args, text) => {
    const lines: string[] = [];
    expect(await compareWithRedis(args, line => lines.push(line))).toBe(EXIT.badUse);
    expect(lines).toEqual([text]);
  });
});
