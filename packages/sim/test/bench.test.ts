import { describe, expect, it } from 'vitest';
import { linesOf } from '../src/cli/bench/rows.ts';
import type { PlayedRun } from '../src/cli/request.ts';

const NOTHING = {
  hash: '',
  codes: {},
  violations: [],
  plan: { steps: [], clients: [], channels: [], endMs: 0 },
};

/** A run of 1,000 virtual seconds in one core second. */
function run(seed: number, heapMiB: number): PlayedRun {
  const took = { virtualMs: 1_000_000, cpuMs: 900, oracleMs: 100, events: 5000 };
  return { ...NOTHING, ...took, seed, heapMiB, rssMiB: 300, counts: { deliveries: 8000 } };
}

describe('the rows of bench', () => {
  it('say which bars hold', () => {
    const row = { name: 'any', world: 'standard', timesRealTime: 2000, timesModel: 2 };
    const runs = [run(1, 100), run(2, 100), run(3, 100), run(4, 110)];
    const plain = runs.map(each => ({ ...each, cpuMs: 800, oracleMs: 0 }));
    expect(linesOf(row, runs, plain, { kernelEvents: 50_000, modelDeliveries: 4000 })).toEqual([
      'any: 4 seeds, 4,000 virtual s in 4.0 core s',
      '  1,000 x real time (at least 2,000: missed), 5,000 events/s',
      '  8,000 deliveries/s (at least 8,000: holds)',
      '  the kernel alone takes 10 % of that for as many empty events',
      '  log and oracles 20 % (at most 30: holds)',
      '  heap 100 MiB in the first quarter, 10.0 % more (at most 5: missed) in the last; process 300 MiB (at most 512: holds)',
    ]);
  });
});
