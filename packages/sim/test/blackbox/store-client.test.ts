import { describe, expect, it } from 'vitest';
import { determinismFaults } from '../../src/cli/determinism.ts';
import { playInProcess } from '../../src/cli/run-process.ts';

describe('the client library of the store', () => {
  it('runs unmodified against the simulated server, and comes back after a cut, silence and a restart', () => {
    const runs = playInProcess({ world: 'store client', seeds: [1, 2, 3], guard: true });
    for (const { fault, violations, counts } of runs) {
      expect([fault, violations]).toEqual([undefined, []]);
      expect(counts['restored']).toBe(3);
      expect(counts['failures']).toBeGreaterThan(0);
      expect(counts['messages']).toBeGreaterThan(100);
      // Each call counts: one without an answer may have done so, too.
      expect(counts['last']).toBeGreaterThanOrEqual(counts['answers'] ?? 0);
    }
  });

  it('has one hash twice in one process and in fresh ones with other options', () => {
    expect(determinismFaults('store client', [1])).toEqual([]);
  });
});
