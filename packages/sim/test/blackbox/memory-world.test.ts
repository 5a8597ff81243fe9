import { describe, expect, it } from 'vitest';
import { determinismFaults } from '../../src/cli/determinism.ts';
import { playInProcess } from '../../src/cli/run-process.ts';

describe('one service in memory with stock clients', () => {
  it('breaks no promise under faults, and its faults are felt', () => {
    const runs = playInProcess({ world: 'memory', seeds: [23, 28, 30, 31, 40], guard: true });
    for (const { fault, violations } of runs) expect([fault, violations]).toEqual([undefined, []]);
    const sum = (name: string): number => runs.reduce((total, { counts }) => total + (counts[name] ?? 0), 0);
    const felt = ['recovered', 'unrecovered', 'faults', 'restarts', 'lost', 'ended'];
    for (const name of ['deliveries', ...felt, 'protobuf', 'httpStream', 'sse'])
      expect(sum(name), name).toBeGreaterThan(0);
  });

  it('has one hash twice in one process and in fresh ones with other options', () => {
    expect(determinismFaults('memory', [23, 28])).toEqual([]);
  });
});
