import type { SuiteRun } from './conform.ts';
import type { SdkRow } from './server-sdks/table.ts';
import type { Suite, TestResult } from './suites/suite.ts';

/** Prints what a run passed, failed and left out. */
export function printRun({ suite, client, server, results, outOfScope }: SuiteRun): void {
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  const passed = results.length - failures.length;
  const counts = [`${passed} passed`, `${failures.length} failed`, `${outOfScope.length} out of scope`];
  console.log(`${suite.padEnd(8)}${client.padEnd(28)}${server.padEnd(22)}${counts.join(', ')}`);
  printFailures(failures);
  for (const { test, reason } of outOfScope) console.log(`  out of scope: ${test}: ${reason}`);
}

function printFailures(failures: readonly TestResult[]): void {
  for (const { name, detail } of failures) {
    console.log(`  failed: ${name}`);
    for (const line of detail.trimEnd().split('\n').slice(-30)) console.log(`    ${line}`);
  }
}

/** Prints what a server SDK passed and failed in each topology. */
export function printSdk({ sdk, notRun, results }: SdkRow): void {
  if (notRun !== '') console.log(`sdk     ${sdk.title.padEnd(28)}not run: ${notRun}`);
  for (const [topology, cases] of results) {
    const failures = cases.filter(({ outcome }) => outcome === 'failed');
    const counts = `${cases.length - failures.length} passed, ${failures.length} failed`;
    console.log(`sdk     ${sdk.title.padEnd(28)}${topology.padEnd(22)}${counts}`);
    printFailures(failures);
  }
}

/** Prints that a suite could not be run here. */
export function printNotRun({ name, client }: Suite, reason: string): void {
  console.log(`${name.padEnd(8)}${client.padEnd(28)}not run: ${reason}`);
}
