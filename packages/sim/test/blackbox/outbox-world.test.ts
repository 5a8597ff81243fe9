import { describe, expect, it } from 'vitest';
import { determinismFaults } from '../../src/cli/determinism.ts';
import { playInProcess } from '../../src/cli/run-process.ts';

describe('the worker of the outbox between a database and a service', () => {
  it('breaks no promise under faults, and its faults are felt', () => {
    const runs = playInProcess({ world: 'outbox', seeds: [7, 8, 11], guard: true });
    for (const { fault, violations } of runs) expect([fault, violations]).toEqual([undefined, []]);
    const sum = (name: string): number => runs.reduce((total, { counts }) => total + (counts[name] ?? 0), 0);
    const felt = ['rows', 'dead', 'suppressed', 'takeovers', 'deliveries', 'faults', 'restarts'];
    for (const name of [...felt, 'sent', 'gone', 'parked']) expect(sum(name), name).toBeGreaterThan(0);
  });

  it('has one hash twice in one process and in fresh ones with other options', () => {
    expect(determinismFaults('outbox', [8])).toEqual([]);
  });
});
