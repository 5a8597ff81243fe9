import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { caseName, casesOf, inventoryFaults } from '../scripts/test-inventory.ts';
import { timeTable } from '../scripts/test-times.ts';
import { LANES } from './lanes.ts';

describe('the lanes', () => {
  const files = globSync(['packages/*/test/**/*.test.ts', 'test/**/*.test.ts']);
  const matches = (file: string, patterns: readonly string[]) =>
    patterns.some(pattern => matchesGlob(file, pattern));
  const lanesOf = (file: string) =>
    Object.entries(LANES)
      .filter(([, { include, exclude }]) => matches(file, include) && !matches(file, exclude))
      .map(([name]) => name);

  it('run every test file, each in one lane', () => {
    expect(files.length).toBeGreaterThan(300);
    expect(files.filter(file => lanesOf(file).length !== 1)).toEqual([]);
  });

  it('take what starts the programs out of the unit lane, and what is long out of npm test', () => {
    expect(lanesOf('packages/server/test/blackbox/rpc.test.ts')).toEqual(['blackbox']);
    expect(lanesOf('packages/engine/test/stock/recovery.test.ts')).toEqual(['long']);
    expect(lanesOf('packages/server/test/notify/sinks/email.slow.test.ts')).toEqual(['long']);
    expect(lanesOf('packages/core/test/grants.test.ts')).toEqual(['unit']);
    expect(lanesOf('packages/sim/test/blackbox/determinism.test.ts')).toEqual(['proofs']);
    expect(lanesOf('test/outbox-kill/oracle.test.ts')).toEqual(['unit']);
  });
});

describe('the inventory', () => {
  it('names a case that is gone, one of two that is gone, and a replacement that does not run', () => {
    const ran = ['a', 'b', 'd'];
    expect(inventoryFaults(['a', 'b', 'b', 'c', 'e'], ran, { c: 'd', e: 'f' })).toEqual([
      'gone, and nothing replaces it: b',
      'gone, and what replaces it did not run: e → f',
    ]);
    expect(inventoryFaults(['a', 'b'], ran, {})).toEqual([]);
  });

  it('reads cases without files, lines and seeds, those included that a machine cannot run', () => {
    const result = (title: string, status: string) => ({ ancestorTitles: ['suite'], title, status });
    const results = [
      result('works, seed 47', 'passed'),
      result('fails', 'failed'),
      result('docs/a.md:7 is not run: no mounts', 'skipped'),
      result('later', 'todo'),
    ];
    expect(casesOf({ testResults: [{ assertionResults: results }] })).toEqual([
      'suite > works, seed N',
      'suite > fails',
      'suite > docs/a.md is not run: no mounts',
    ]);
    expect(caseName(['a', 'b\n  c'])).toBe('a > b c');
  });
});

describe('the table of times', () => {
  it('has the longest file first, with its processes, and a sum', () => {
    const file = (name: string, seconds: number) => ({
      name: `/root/${name}`,
      startTime: 1000,
      endTime: 1000 + seconds * 1000,
      assertionResults: [{}, {}],
    });
    const report = { testResults: [file('a.ts', 1), file('b.ts', 2.5)] };
    expect(timeTable('/root', report, [{ file: '/root/a.ts', started: 3, cpu: 0.25 }])).toEqual([
      '     2.5 s      0.0 s of CPU      0 processes      2 cases  b.ts',
      '     1.0 s      0.3 s of CPU      3 processes      2 cases  a.ts',
      '     3.5 s      0.3 s of CPU      3 processes      4 cases  in 2 files',
    ]);
  });
});
