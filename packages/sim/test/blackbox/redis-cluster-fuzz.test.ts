import { RedisCluster } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runClusterFuzz } from '../../src/fuzz/cluster/run.ts';

/** The amount of CI. */
const CALLS = 2000;
const seed = Number(process.env['MSG_SEED'] ?? 1);

describe('the simulated cluster', () => {
  let real: RedisCluster;
  beforeAll(async () => {
    real = await RedisCluster.start();
  }, 120_000);
  afterAll(() => real.stop());

  it(`answers ${CALLS} drawn calls as three real masters do, while slots move (seed ${seed})`, async () => {
    const report = await runClusterFuzz({ calls: CALLS, seed, real });
    expect(report.difference).toEqual([]);
    expect(report.calls).toBeGreaterThanOrEqual(CALLS);
    for (const name of ['begin', 'end', 'asking', 'spublish', 'ssubscribe', 'publish', 'exec', 'eval'])
      expect(report.names.get(name), name).toBeGreaterThan(10);
    for (const text of [
      'ASK …',
      "CROSSSLOT Keys in request don't hash to the same slot",
      'ERR Script attempted to access a non local key in a cluster node',
      'MOVED …',
      'TRYAGAIN Multiple keys request during rehashing of slot',
    ])
      expect(report.errors).toContain(text);
  }, 240_000);
});
