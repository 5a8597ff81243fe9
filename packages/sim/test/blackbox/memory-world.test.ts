import { describe, expect, it } from 'vitest';
import { determinismFaults } from '../../src/cli/determinism.ts';
import { playInProcess } from '../../src/cli/run-process.ts';
import { expectFelt } from '../felt.ts';

describe('one service in memory with stock clients', () => {
  it('breaks no promise under faults, and its faults are felt', () => {
    const runs = playInProcess({ world: 'memory', seeds: [23, 28, 30, 31, 40], guard: true });
    const felt = ['recovered', 'unrecovered', 'faults', 'restarts', 'lost', 'ended'];
    expectFelt(runs, ['deliveries', ...felt, 'protobuf', 'httpStream', 'sse']);
  });

  it('has one hash twice in one process and in fresh ones with other options', () => {
    expect(determinismFaults('memory', [23, 28])).toEqual([]);
  });
});
