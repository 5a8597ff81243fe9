// Runs the suites that a store or threads can matter to on every topology, one after the other, and sums them up.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { KINDS_OF_RUN } from '@msg/testkit/redis';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

const folder = resolve('.tmp/topologies');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

/** One run; answers its line of the summary, and whether everything passed. */
function run(topology: (typeof KINDS_OF_RUN)[number]): { readonly line: string; readonly ok: boolean } {
  const report = resolve(folder, `${topology}.json`);
  const start = performance.now();
  const { status } = spawnSync('vitest', ['run', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, MSG_TEST_STORE: topology, MSG_TEST_REPORT: report },
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(
      readFileSync(report, 'utf8'),
    ) as Report;
    const counts = `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} left to ${topology.includes('threads') ? 'one thread' : 'memory'}`;
    return { line: `${topology}: ${counts}, ${seconds} s`, ok: status === 0 };
  } catch {
    return { line: `${topology}: no report, ${seconds} s`, ok: false };
  }
}

const results = KINDS_OF_RUN.map(run);
console.log(`\n${results.map(({ line }) => line).join('\n')}`);
if (results.some(({ ok }) => !ok)) process.exitCode = 1;
