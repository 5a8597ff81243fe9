// Runs public client suites against the engine: `npm run conformance -- --help`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { conform, type SuiteRun } from './conform.ts';
import { conformancePage } from './page.ts';
import { printRun } from './print.ts';
import { GoSuite } from './suites/go.ts';
import { JsCheckout, JsEquivalents } from './suites/js.ts';
import { PythonSuite } from './suites/python.ts';
import type { Suite } from './suites/suite.ts';

const USAGE = `usage: npm run conformance -- [--suite go|python|js]… [--checkout FOLDER] [--repeat N] [--cluster] [--write]

Runs the tests of public clients, unmodified, against the engine on port 8000.

  --suite NAME       only this suite; may be given several times
  --checkout FOLDER  the suite in this checkout of the client, with one --suite
  --repeat N         run each suite N times; all must pass
  --write            write docs/conformance.md from the results; without it a run of all suites checks the page
  --cluster          two nodes on one Redis behind a round-robin proxy, instead of one in memory`;

const { values } = parseArgs({
  options: {
    suite: { type: 'string', multiple: true, default: [] },
    checkout: { type: 'string' },
    repeat: { type: 'string', default: '1' },
    cluster: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const names = values.suite.length > 0 ? values.suite : ['go', 'python', 'js'];
if (values.checkout !== undefined && names.length !== 1) usage('--checkout goes with one --suite');
const repeat = Number(values.repeat);
if (!Number.isSafeInteger(repeat) || repeat < 1) usage('--repeat takes a positive number');

function usage(problem: string): never {
  console.error(`${problem}\n\n${USAGE}`);
  process.exit(2);
}

function suitesOf(name: string, checkout: string | undefined): Suite[] {
  switch (name) {
    case 'go':
      return [new GoSuite(checkout)];
    case 'python':
      return [new PythonSuite(checkout)];
    case 'js':
      if (checkout !== undefined) return [new JsCheckout(checkout)];
      return [new JsEquivalents('5.7.4'), new JsEquivalents('5.8.0')];
    default:
      return usage(`there is no suite ${name}`);
  }
}

const suites = names.flatMap(name => suitesOf(name, values.checkout));
const runs: SuiteRun[] = [];
try {
  const missing = [...new Set(suites.flatMap(suite => suite.missing()))];
  if (missing.length > 0) {
    console.error(`What the suites need is not there:\n${missing.map(text => `  ${text}`).join('\n')}`);
    process.exitCode = 1;
  } else {
    for (const suite of suites) {
      for await (const run of conform(suite, { repeat, cluster: values.cluster })) {
        runs.push(run);
        printRun(run);
      }
    }
  }
} finally {
  for (const suite of suites) suite.dispose();
}

const count = (outcome: string): number =>
  runs.reduce((sum, run) => sum + run.results.filter(result => result.outcome === outcome).length, 0);
if (values.suite.length === 0 && repeat === 1 && count('failed') === 0 && runs.length > 0) settlePage();

/** Writes the page of the documentation, or fails when it says something else than the results. */
function settlePage(): void {
  const page = new URL('../../docs/conformance.md', import.meta.url);
  const text = conformancePage(runs);
  if (values.write) writeFileSync(page, text);
  else if (!existsSync(page) || readFileSync(page, 'utf8') !== text) {
    console.error('docs/conformance.md is stale: npm run conformance -- --write');
    process.exitCode = 1;
  }
}

const report = process.env['MSG_TEST_REPORT'];
if (report !== undefined) {
  mkdirSync(dirname(report), { recursive: true });
  const sums = { numPassedTests: count('passed'), numFailedTests: count('failed') };
  writeFileSync(report, JSON.stringify({ ...sums, runs }, null, 2));
}
if (runs.length === 0 || count('failed') > 0) process.exitCode = 1;
