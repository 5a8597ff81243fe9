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
  /** One process with so many threads; 1: none beside main. */
  readonly threads: number;
}

/** Runs a suite against a server of its own, as often as asked. */
export async function* conform(suite: Suite, options: ConformOptions): AsyncGenerator<SuiteRun> {
  const { scope } = suite;
  const outOfScope = scope === null ? [] : readScope(new URL(`../scope/${scope}.txt`, import.meta.url));
  await suite.prepare();
  for (let round = 0; round < options.repeat; round++) {
    const harness = await HarnessProcess.start(suite.profile, harnessArgs(options));
    try {
      const results = [...(await suite.run(outOfScope.map(({ test }) => test)))];
      if (harness.errors !== '') {
        results.push({ name: '(the server)', outcome: 'failed', detail: harness.errors });
      }
      yield {
        suite: suite.name,
        client: suite.client,
        server: serverName(options),
        results,
        outOfScope,
      };
    } finally {
      await harness.stop();
    }
  }
}

function harnessArgs({ cluster, threads }: ConformOptions): readonly string[] {
  if (cluster) return ['--cluster'];
  return threads > 1 ? ['--threads', String(threads)] : [];
}

function serverName({ cluster, threads }: ConformOptions): string {
  if (cluster) return 'two nodes on Redis';
  return threads > 1 ? `one process with ${threads} threads` : 'one node in memory';
}
