import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { SEED } from '../support/random.ts';
import { fuzz } from './fuzz.ts';
import { TARGETS } from './targets.ts';

const INPUTS = 1_100_000;

describe('fuzzing all decoders', () => {
  it(`${INPUTS} inputs, seed ${SEED}: only decode errors, no hang, no growth`, { timeout: 300_000 }, () => {
    // Warm up first, so that compiled code and slabs are not taken for growth.
    fuzz({ seed: SEED + 1, inputs: 50_000, forMs: Number.POSITIVE_INFINITY });
    const before = usedBytes();
    const report = fuzz({ seed: SEED, inputs: INPUTS, forMs: Number.POSITIVE_INFINITY });
    const growth = usedBytes() - before;
    console.log(`fuzz: seed ${SEED}, ${report.inputs} inputs, ${Math.round(growth / 1024)} KiB growth`);
    expect(report.inputs).toBe(INPUTS);
    expect(growth).toBeLessThan(8 * 1024 * 1024);
    for (const { name } of TARGETS) {
      const { accepted, refused } = report.perTarget.get(name)!;
      expect(accepted, `${name} accepts some inputs`).toBeGreaterThan(0);
      if (name !== 'payload' && name !== 'delta create')
        expect(refused, `${name} refuses some`).toBeGreaterThan(0);
    }
  });
});

function usedBytes(): number {
  v8.setFlagsFromString('--expose-gc');
  const collect: () => void = vm.runInNewContext('gc');
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
