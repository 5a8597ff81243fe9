import { describe, expect, it } from 'vitest';
import { determinismFaults } from '../../src/cli/determinism.ts';
import { playInProcess } from '../../src/cli/run-process.ts';
import { expectFelt } from '../felt.ts';

describe('several services on one Redis', () => {
  it('break no promise under faults, and their faults are felt', { timeout: 240_000 }, () => {
    const runs = playInProcess({ world: 'standard', seeds: [4, 5, 6, 7, 34], guard: true });
    expectFelt(runs, [
      'deliveries',
      'recovered',
      'unrecovered',
      'faults',
      'starts',
      'lost',
      'wiped',
      'ended',
      'httpStream',
      'sse',
    ]);
  });

  it('have one hash twice in one process and in fresh ones with other options', { timeout: 240_000 }, () => {
    expect(determinismFaults('standard', [11])).toEqual([]);
  });

  it('tell what happened in a line that is longer than a pipe holds', { timeout: 120_000 }, () => {
    const [run] = playInProcess({ world: 'standard', seeds: [14], guard: true, timeline: true });
    expect(run?.fault).toBeUndefined();
    expect(JSON.stringify(run?.timeline).length).toBeGreaterThan(1_000_000);
  });
});
