import { HarnessProcess } from './harness-process.ts';
import { type OutOfScope, readScope } from './scope.ts';
import type { Suite, TestResult } from './suites/suite.ts';

/** One run of one suite. */
export interface SuiteRun {
  readonly suite: string;
  readonly client: string;
  readonly server: string;
  readonly results: readonly TestResult[];
  readonly outOfScope: readonly OutOfScope[];
}

export interface ConformOptions {
  readonly repeat: number;
  /** Two nodes on one Redis behind a proxy. */
  readonly cluster: boolean;
}

/** Runs a suite against a server of its own, as often as asked. */
export async function* conform(suite: Suite, { repeat, cluster }: ConformOptions): AsyncGenerator<SuiteRun> {
  const { scope } = suite;
  const outOfScope = scope === null ? [] : readScope(new URL(`../scope/${scope}.txt`, import.meta.url));
  await suite.prepare();
  for (let round = 0; round < repeat; round++) {
    const harness = await HarnessProcess.start(suite.profile, cluster ? ['--cluster'] : []);
    try {
      const results = [...(await suite.run(outOfScope.map(({ test }) => test)))];
      if (harness.errors !== '') {
        results.push({ name: '(the server)', outcome: 'failed', detail: harness.errors });
      }
      yield {
        suite: suite.name,
        client: suite.client,
        server: cluster ? 'two nodes on Redis' : 'one node in memory',
        results,
        outOfScope,
      };
    } finally {
      await harness.stop();
    }
  }
}
