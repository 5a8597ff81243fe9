import { describe, expect, it } from 'vitest';
import { playInProcess } from '../../src/cli/run-process.ts';
import { expectFelt } from '../felt.ts';

/** Longer than a timer of Node.js can wait. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

describe('weeks on stores in memory', () => {
  it('break no promise, also where a window outlives the longest timer', { timeout: 480_000 }, () => {
    const switches = {
      store: 'memory',
      sessions: true,
      signingKeys: true,
      clients: 2,
      channels: 1,
      churn: false,
    };
    const plan = { switches: { ...switches, historyTtlMs: 2_592_000_000, recovery: 'stream' }, hours: 650 };
    const runs = playInProcess({ world: 'long', seeds: [1], guard: true, plan });
    expectFelt(runs, ['published', 'deliveries', 'redemptions', 'keys', 'faults']);
    expect(runs[0]?.virtualMs).toBeGreaterThan(LONGEST_DELAY_MS);
  });
});
