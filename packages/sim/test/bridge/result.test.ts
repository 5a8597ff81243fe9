import { describe, expect, it } from 'vitest';
import { type BridgeRun, isClean, linesOf, summaryOf } from '../../src/bridge/result.ts';

const run: BridgeRun = {
  name: 'storm 1',
  store: 'cluster',
  seconds: 61.4,
  counts: { published: 900, deliveries: 5000, recovered: 7, unrecovered: 2 },
  played: { cut: 6, 'kill of a node': 2 },
  skipped: { 'pause of a client': 2 },
  violations: [],
};
const violation = { oracle: 'O1', atUs: 2_500_000, text: 'client 1 got 3 after 1' };

describe('what a run of the bridge came to', () => {
  it('is one line, and one for each broken promise', () => {
    expect(linesOf({ ...run, violations: [violation] })).toEqual([
      'storm 1, cluster: 61 s, 900 published, 5000 deliveries, 9 recoveries, 8 faults played, 2 steps skipped',
      '  O1 at 2500.0 ms: client 1 got 3 after 1',
    ]);
  });

  it('shows the first twenty broken promises, and how many more there are', () => {
    const lines = linesOf({ ...run, violations: Array.from({ length: 25 }, () => violation) });
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe('  and 5 more');
  });
});

describe('the sum of the bridge', () => {
  const other = { ...run, played: { cut: 3 }, skipped: {}, violations: [violation] };

  it('counts plans, deliveries, faults and skipped steps by their names', () => {
    expect(summaryOf([run, other])).toEqual([
      '2 plans: 123 s, 1800 published, 10000 deliveries, 18 recoveries, 11 faults played, 2 steps skipped (15.4 %), 1 broken promises',
      'played: cut 9, kill of a node 2',
      'skipped: pause of a client 2',
      expect.stringMatching(
        /^oracles: \d+ asked; not asked: O14 \(.*\), O41 \(.*\), O42 \(.*\), O43 \(.*\), O44 \(.*\)$/,
      ),
    ]);
  });

  it('is clean as long as every promise holds and at most a fifth of the steps is skipped', () => {
    expect(isClean([run])).toBe(true);
    expect(isClean([run, other])).toBe(false);
    const mostlySkipped = [{ ...run, skipped: { 'pause of a client': 3 } }];
    expect(isClean(mostlySkipped)).toBe(false);
    expect(summaryOf(mostlySkipped).at(-1)).toBe(
      'more than 20 % of the steps were skipped: play more plans together',
    );
  });
});
