import { describe, expect, it } from 'vitest';
import { determinismFaults } from '../../src/cli/determinism.ts';
import { playInProcess } from '../../src/cli/run-process.ts';
import { expectFelt } from '../felt.ts';

describe('the worker of the outbox between a database and a service', () => {
  it('breaks no promise under faults, and its faults are felt', () => {
    const runs = playInProcess({ world: 'outbox', seeds: [7, 8, 11], guard: true });
    const felt = ['rows', 'dead', 'suppressed', 'takeovers', 'deliveries', 'faults', 'restarts'];
    expectFelt(runs, [...felt, 'sent', 'gone', 'parked']);
  });

  it('has one hash twice in one process and in fresh ones with other options', () => {
    expect(determinismFaults('outbox', [8])).toEqual([]);
  });
});
