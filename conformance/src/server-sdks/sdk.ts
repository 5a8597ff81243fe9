import type { TestResult } from '../suites/suite.ts';

/** The HTTP API that an SDK is brought to. */
export interface ApiTarget {
  /** With the path of the API: `http://127.0.0.1:8000/api`. */
  readonly url: string;
  readonly key: string;
}

/** What a service does for an SDK's own suite, where that asks for something else than the others. */
export interface OwnSuiteService {
  /** No key is asked for. */
  readonly open: boolean;
  /** Channels keep no history: a publish answers `{"result":{}}`. */
  readonly withoutHistory: boolean;
}

/** A backend SDK, as published, or what it sends and how strictly it reads. */
export interface ServerSdk {
  /** As `--suite` takes it. */
  readonly name: string;
  /** Language, name and version. */
  readonly title: string;
  /** Where the cases come from, for the table. */
  readonly how: string;
  /** Cases that are left out, with the reason; empty: none. */
  readonly leftOut: string;
  /** Of its own suite; `undefined`: the service of the others. */
  readonly service?: OwnSuiteService;
  /** What this machine lacks to run it, with the command that helps; `undefined`: nothing. */
  missing(): string | undefined;
  /** Fetches and builds what is needed. @param folder is written to */
  prepare(folder: string): Promise<void>;
  run(target: ApiTarget): Promise<readonly TestResult[]>;
}

/** One case of an SDK in this process. */
export type Case = readonly [name: string, run: () => Promise<void>];

/** Runs cases one after the other; what one throws is its failure. */
export async function runCases(cases: readonly Case[]): Promise<TestResult[]> {
  const results: TestResult[] = [];
  for (const [name, run] of cases) {
    try {
      await run();
      results.push({ name, outcome: 'passed', detail: '' });
    } catch (error) {
      results.push({
        name,
        outcome: 'failed',
        detail: error instanceof Error ? `${error.stack}` : `${error}`,
      });
    }
  }
  return results;
}
