// Runs public clients against the engine: `npm run conformance -- --help`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { conform, type SuiteRun } from './conform.ts';
import { suitesPart, withPart } from './page.ts';
import { printNotRun, printRun, printSdk } from './print.ts';
import { type MatrixRow, runMatrix } from './releases/matrix.ts';
import { printRow } from './releases/print.ts';
import { releasesPart, rowLine } from './releases/table.ts';
import { checkoutOf, runServerSdks, SERVER_SDKS } from './server-sdks/run.ts';
import type { ServerSdk } from './server-sdks/sdk.ts';
import { type SdkRow, sdkLine, sdksPart } from './server-sdks/table.ts';
import { GoSuite } from './suites/go.ts';
import { JavaCheckout, JavaEquivalents } from './suites/java.ts';
import { JsCheckout, JsEquivalents } from './suites/js.ts';
import { PythonSuite } from './suites/python.ts';
import type { Suite } from './suites/suite.ts';

const USAGE = `usage: npm run conformance -- [--suite go|java|js|python]… [--checkout FOLDER] [--repeat N] [--cluster | --threads N] [--write]
       npm run conformance -- clients [--write]
       npm run conformance -- server-sdks [--suite NAME]… [--checkout FOLDER] [--write]

Runs the tests of public clients against the engine on port 8000; then, unless suites are named, a session with the
oldest and the newest release of each client, and the SDKs of backends. "clients" runs sessions with all releases,
"server-sdks" brings the SDKs of backends to the HTTP API: ${SERVER_SDKS.map(({ name }) => name).join(', ')}.

  --suite NAME       only this suite; may be given several times
  --checkout FOLDER  the suite in this checkout of the client, with one --suite
  --repeat N         run each suite N times; all must pass
  --write            write docs/conformance.md from the results; without it the page is compared with them
  --cluster          two nodes on one Redis behind a round-robin proxy, instead of one in memory
  --threads N        one process with N threads, which share the port: Linux`;

const PAGE = new URL('../../docs/conformance.md', import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string', multiple: true, default: [] },
    checkout: { type: 'string' },
    repeat: { type: 'string', default: '1' },
    cluster: { type: 'boolean', default: false },
    threads: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const allReleases = positionals[0] === 'clients';
const onlySdks = positionals[0] === 'server-sdks';
if (positionals.length > (allReleases || onlySdks ? 1 : 0))
  usage(`there is nothing to run called ${positionals.at(-1)}`);
if (allReleases && values.suite.length > 0) usage('clients goes without --suite');
if (values.checkout !== undefined && values.suite.length !== 1) usage('--checkout goes with one --suite');
const repeat = Number(values.repeat);
if (!Number.isSafeInteger(repeat) || repeat < 1) usage('--repeat takes a positive number');
const threads = Number(values.threads);
if (!Number.isInteger(threads) || threads < 1 || threads > 32) usage('--threads takes a number from 1 to 32');
if (threads > 1 && (values.cluster || positionals.length > 0))
  usage('--threads goes with the suites of clients in memory');
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
      for await (const run of conform(suite, { repeat, cluster: values.cluster, threads })) {
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
  else compareLines(rows.filter(({ notRun }) => notRun === '').map(rowLine), 'clients');
  return rows;
}

function sdksOf(names: readonly string[], checkout: string | undefined): readonly ServerSdk[] {
  if (names.length === 0) return SERVER_SDKS;
  return names.map(name => {
    const sdk =
      checkout === undefined ? SERVER_SDKS.find(other => other.name === name) : checkoutOf(name, checkout);
    return sdk ?? usage(`${name} has no ${checkout === undefined ? 'cases' : 'suite that needs a server'}`);
  });
}

/** Runs the SDKs of backends; one that the machine lacks something for is named, and fails the run when it was asked for. */
async function runSdks(): Promise<readonly SdkRow[]> {
  const names = onlySdks ? values.suite : [];
  const isCheckout = onlySdks && values.checkout !== undefined;
  const rows = await runServerSdks(sdksOf(names, values.checkout), { isCheckout });
  for (const row of rows) {
    printSdk(row);
    for (const results of row.results.values()) for (const { outcome } of results) counts[outcome]++;
    if (row.notRun !== '' && names.length > 0) process.exitCode = 1;
  }
  if (counts.failed > 0 || isCheckout) return rows;
  const isComplete = names.length === 0 && rows.every(({ notRun }) => notRun === '');
  if (values.write || isComplete) settlePage(sdksPart(rows));
  else compareLines(rows.filter(({ notRun }) => notRun === '').map(sdkLine), 'server-sdks');
  return rows;
}

/** Writes a part of the page of the documentation, or fails when it says something else than the results. */
function settlePage(part: string): void {
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  const text = withPart(page, part);
  if (values.write) writeFileSync(PAGE, text);
  else if (page !== text)
    fail(`npm run conformance -- ${positionals.map(name => `${name} `).join('')}--write`);
}

/** Fails when the page has not these lines. */
function compareLines(lines: readonly string[], what: 'clients' | 'server-sdks'): void {
  const page = readFileSync(PAGE, 'utf8').split('\n');
  if (lines.some(line => !page.includes(line))) fail(`npm run conformance -- ${what} --write`);
}

function fail(command: string): void {
  console.error(`docs/conformance.md is stale: ${command}`);
  process.exitCode = 1;
}

const all = ['go', 'java', 'python', 'js'];
const isShort = isWhole && !values.cluster && threads === 1 && positionals.length === 0;
const runs = positionals.length > 0 ? [] : await runSuites(values.suite.length > 0 ? values.suite : all);
const rows = allReleases || isShort ? await runReleases() : [];
const sdks = onlySdks || isShort ? await runSdks() : [];

const report = process.env['MSG_TEST_REPORT'];
if (report !== undefined) {
  mkdirSync(dirname(report), { recursive: true });
  const sums = { numPassedTests: counts.passed, numFailedTests: counts.failed };
  const releases = rows.map(row => ({ ...row, results: Object.fromEntries(row.results) }));
  const backends = sdks.map(row => ({ ...row, results: Object.fromEntries(row.results) }));
  writeFileSync(report, JSON.stringify({ ...sums, runs, releases, backends }, null, 2));
}
if (counts.failed > 0) process.exitCode = 1;
