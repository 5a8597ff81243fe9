// Runs public clients against the engine: `npm run conformance -- --help`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { conform, type SuiteRun } from './conform.ts';
import { suitesPart, withPart } from './page.ts';
import { printNotRun, printRun } from './print.ts';
import { type MatrixRow, runMatrix } from './releases/matrix.ts';
import { printRow } from './releases/print.ts';
import { releasesPart, rowLine } from './releases/table.ts';
import { GoSuite } from './suites/go.ts';
import { JavaCheckout, JavaEquivalents } from './suites/java.ts';
import { JsCheckout, JsEquivalents } from './suites/js.ts';
import { PythonSuite } from './suites/python.ts';
import type { Suite } from './suites/suite.ts';

const USAGE = `usage: npm run conformance -- [--suite go|java|js|python]… [--checkout FOLDER] [--repeat N] [--cluster] [--write]
       npm run conformance -- clients [--write]

Runs the tests of public clients against the engine on port 8000; then, unless suites are named, a session with the
oldest and the newest release of each client. "clients" runs sessions with all releases.

  --suite NAME       only this suite; may be given several times
  --checkout FOLDER  the suite in this checkout of the client, with one --suite
  --repeat N         run each suite N times; all must pass
  --write            write docs/conformance.md from the results; without it the page is compared with them
  --cluster          two nodes on one Redis behind a round-robin proxy, instead of one in memory`;

const PAGE = new URL('../../docs/conformance.md', import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
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

const allReleases = positionals[0] === 'clients';
if (positionals.length > (allReleases ? 1 : 0)) usage(`there is nothing to run called ${positionals.at(-1)}`);
if (allReleases && values.suite.length > 0) usage('clients goes without --suite');
if (values.checkout !== undefined && values.suite.length !== 1) usage('--checkout goes with one --suite');
const repeat = Number(values.repeat);
if (!Number.isSafeInteger(repeat) || repeat < 1) usage('--repeat takes a positive number');
/** One run of everything that the page counts. */
const isWhole = values.suite.length === 0 && repeat === 1;

function usage(problem: string): never {
  console.error(`${problem}\n\n${USAGE}`);
  process.exit(2);
}

function suitesOf(name: string, checkout: string | undefined): Suite[] {
  switch (name) {
    case 'go':
      return [new GoSuite(checkout)];
    case 'java':
      return [checkout === undefined ? new JavaEquivalents() : new JavaCheckout(checkout)];
    case 'js':
      if (checkout !== undefined) return [new JsCheckout(checkout)];
      return [new JsEquivalents('5.7.4'), new JsEquivalents('5.8.0')];
    case 'python':
      return [new PythonSuite(checkout)];
    default:
      return usage(`there is no suite ${name}`);
  }
}

interface Counts {
  passed: number;
  failed: number;
}
const counts: Counts = { passed: 0, failed: 0 };

/** Runs the suites; those that the machine lacks something for are named, and fail the run when they were asked for. */
async function runSuites(names: readonly string[]): Promise<readonly SuiteRun[]> {
  const suites = names.flatMap(name => suitesOf(name, values.checkout));
  const runs: SuiteRun[] = [];
  let complete = true;
  try {
    for (const suite of suites) {
      const missing = suite.missing();
      if (missing.length > 0) {
        printNotRun(suite, missing.join('; '));
        complete = false;
        if (!isWhole) process.exitCode = 1;
        continue;
      }
      for await (const run of conform(suite, { repeat, cluster: values.cluster })) {
        runs.push(run);
        printRun(run);
        for (const { outcome } of run.results) counts[outcome]++;
      }
    }
  } finally {
    for (const suite of suites) suite.dispose();
  }
  if (runs.length === 0) process.exitCode = 1;
  if (isWhole && complete && counts.failed === 0) settlePage(suitesPart(runs));
  return runs;
}

async function runReleases(): Promise<readonly MatrixRow[]> {
  const rows: MatrixRow[] = [];
  for await (const row of runMatrix({ short: !allReleases })) {
    rows.push(row);
    printRow(row);
    for (const { passed, failure } of row.results.values()) {
      counts.passed += passed.length;
      if (failure !== '') counts.failed++;
    }
  }
  if (counts.failed > 0) return rows;
  if (allReleases && (values.write || rows.every(({ notRun }) => notRun === '')))
    settlePage(releasesPart(rows));
  else compareRows(rows);
  return rows;
}

/** Writes a part of the page of the documentation, or fails when it says something else than the results. */
function settlePage(part: string): void {
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  const text = withPart(page, part);
  if (values.write) writeFileSync(PAGE, text);
  else if (page !== text) fail(`npm run conformance -- ${allReleases ? 'clients ' : ''}--write`);
}

/** Fails when the page has other lines for these rows. */
function compareRows(rows: readonly MatrixRow[]): void {
  const lines = readFileSync(PAGE, 'utf8').split('\n');
  const others = rows.filter(row => row.notRun === '' && !lines.includes(rowLine(row)));
  if (others.length > 0) fail('npm run conformance -- clients --write');
}

function fail(command: string): void {
  console.error(`docs/conformance.md is stale: ${command}`);
  process.exitCode = 1;
}

const all = ['go', 'java', 'python', 'js'];
const runs = allReleases ? [] : await runSuites(values.suite.length > 0 ? values.suite : all);
const rows = allReleases || (isWhole && !values.cluster) ? await runReleases() : [];

const report = process.env['MSG_TEST_REPORT'];
if (report !== undefined) {
  mkdirSync(dirname(report), { recursive: true });
  const sums = { numPassedTests: counts.passed, numFailedTests: counts.failed };
  const releases = rows.map(row => ({ ...row, results: Object.fromEntries(row.results) }));
  writeFileSync(report, JSON.stringify({ ...sums, runs, releases }, null, 2));
}
if (counts.failed > 0) process.exitCode = 1;
