// Adds up the JSON reports of all test runs below a folder and prints the line that closes a CI run.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

const folder = process.argv[2] ?? '.tmp/reports';
let passed = 0;
let failed = 0;
for (const name of readdirSync(folder).filter(file => file.endsWith('.json'))) {
  const report = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Report;
  passed += report.numPassedTests;
  failed += report.numFailedTests;
}
console.log(`${passed} passed, ${failed} failed`);
