import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Where the cases run that a run on a store, or on threads, leaves out. */
const OTHER_RUN = (process.env['MSG_TEST_STORE'] ?? '').startsWith('threads') ? 'one thread' : 'memory';

/** Ends the output of a run on a store or on threads with what it left to the ordinary runs, by reason. */
export class StoreReporter implements Reporter {
  /** The run was told by `-t` which tests to take. */
  #isSelection = false;

  onInit({ config }: Vitest): void {
    this.#isSelection = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const titles = new Map<string, string[]>();
    let passed = 0;
    let left = 0;
    for (const module of modules)
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') passed++;
        if (result.state !== 'skipped' || (this.#isSelection && result.note === undefined)) continue;
        left++;
        const reason = result.note ?? 'WITHOUT A REASON';
        const title = `${relative(process.cwd(), module.moduleId)} > ${test.fullName}`;
        titles.set(reason, [...(titles.get(reason) ?? []), title]);
      }
    console.log(`\non ${process.env['MSG_TEST_STORE']}: ${passed} passed, ${left} left to ${OTHER_RUN}`);
    for (const [reason, cases] of titles)
      console.log([`  ${reason} (${cases.length}):`, ...cases].join('\n    '));
  }
}
