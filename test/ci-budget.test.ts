import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BUDGET, budgetReport, readTimes } from '../scripts/ci-budget.ts';

const SCRIPT = readFileSync('.ci/run', 'utf8');
const STAGES = [...SCRIPT.matchAll(/^stage (\S+)/gm)].map(([, name]) => name);

describe('the CI budget', () => {
  it('has one row for each stage of .ci/run, and no stage that is not there', () => {
    expect(BUDGET.flatMap(({ stages }) => stages).toSorted()).toEqual(STAGES.toSorted());
  });

  it('is 40 minutes', () => {
    expect(BUDGET.reduce((sum, { minutes }) => sum + minutes, 0)).toBe(40);
  });

  it('prints what each row took, and names those more than a fifth above their minutes', () => {
    const lines = budgetReport(readTimes('install 60\nlint 30\ntypes 115\ntest 359\nhostile 60\n'));
    expect(lines).toContain('install        1.0 of 1 min');
    expect(lines.find(line => line.startsWith('checks'))).toMatch(
      /^checks {9}2\.4 of 2 min \(lint 30 s, types 115 s,/,
    );
    expect(lines).toContain('npm test       6.0 of 5 min');
    expect(lines).toContain('all           10.4 of 40 min');
    expect(lines.filter(line => line.startsWith('more'))).toEqual([
      'more than a fifth above the budget: checks took 2.4 of 2 min',
    ]);
  });

  it('is printed by .ci/run, which still ends with the sum when a stage fails', () => {
    const root = mkdtempSync(join(tmpdir(), 'ci-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, '.ci'));
    mkdirSync(join(root, 'bin'));
    for (const folder of ['scripts', 'node_modules'])
      symlinkSync(join(process.cwd(), folder), join(root, folder));
    writeFileSync(join(root, '.ci/run'), SCRIPT, { mode: 0o755 });
    // Every stage passes but the conformance suites.
    writeFileSync(
      join(root, 'bin/npm'),
      '#!/bin/sh\ncase "$*" in *inventory*) ;; *conformance*) exit 1;; *test*) echo \'{"numPassedTests":2,"numFailedTests":0}\' >"$MSG_TEST_REPORT";; esac\n',
      { mode: 0o755 },
    );
    const env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` };
    let output = '';
    try {
      execFileSync(join(root, '.ci/run'), { encoding: 'utf8', env });
    } catch (error) {
      output = (error as { stdout: string }).stdout;
    }
    expect(output).toMatch(/^install {8}0\.0 of 1 min$/m);
    expect(output).toContain('failed at: conformance');
    expect(output).not.toContain('=== hostile');
    expect(output.trimEnd().split('\n').at(-1)).toBe('12 passed, 0 failed');
  });
});
