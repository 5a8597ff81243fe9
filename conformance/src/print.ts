import type { SuiteRun } from './conform.ts';
import type { Suite } from './suites/suite.ts';

/** Prints what a run passed, failed and left out. */
export function printRun({ suite, client, server, results, outOfScope }: SuiteRun): void {
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  const passed = results.length - failures.length;
  const counts = [`${passed} passed`, `${failures.length} failed`, `${outOfScope.length} out of scope`];
  console.log(`${suite.padEnd(8)}${client.padEnd(28)}${server.padEnd(22)}${counts.join(', ')}`);
  for (const { name, detail } of failures) {
    console.log(`  failed: ${name}`);
    for (const line of detail.trimEnd().split('\n').slice(-30)) console.log(`    ${line}`);
  }
  for (const { test, reason } of outOfScope) console.log(`  out of scope: ${test}: ${reason}`);
}

/** Prints that a suite could not be run here. */
export function printNotRun({ name, client }: Suite, reason: string): void {
  console.log(`${name.padEnd(8)}${client.padEnd(28)}not run: ${reason}`);
}
