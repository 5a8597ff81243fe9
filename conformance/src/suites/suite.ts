import type { ProfileName } from '../harness/profiles.ts';

export type Outcome = 'passed' | 'failed';

/** One test of a suite as its own runner reported it. */
export interface TestResult {
  readonly name: string;
  readonly outcome: Outcome;
  /** What went wrong, as the runner wrote it; empty for what passed. */
  readonly detail: string;
}

/** A public client suite that runs against a server on port 8000. */
export interface Suite {
  /** As `--suite` takes it. */
  readonly name: string;
  readonly client: string;
  readonly profile: ProfileName;
  /** What this machine lacks to run it, as sentences with the command that helps; empty: nothing. */
  missing(): readonly string[];
  /** Name of the scope file, when some tests of the suite are not run. */
  readonly scope: string | null;
  /** Fetches what is needed, once, before the server is started. */
  prepare(): Promise<void>;
  /** Runs every test once; `skip` are those that are out of scope. */
  run(skip: readonly string[]): Promise<readonly TestResult[]>;
  /** Removes what was fetched. */
  dispose(): void;
}

/** The results in a report of one JSON line per test. */
export function jsonLines(text: string): TestResult[] {
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as TestResult);
}
