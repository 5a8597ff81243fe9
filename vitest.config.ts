import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { StoreReporter } from './test/support/store-reporter.ts';

// MSG_TEST_BUILT=1 runs the fast suites of the packages against their built output instead of the sources.
const built = process.env['MSG_TEST_BUILT'] === '1';
// MSG_TEST_STORE=standalone|sentinel|cluster runs the suites that a store can matter to on one that the run starts.
const onStore = (process.env['MSG_TEST_STORE'] ?? '') !== '';
// MSG_TEST_REPORT names a file that receives the results as JSON, for the sum that CI prints.
const report = process.env['MSG_TEST_REPORT'];
const conditions = [...(built ? [] : ['msg-source']), 'node', 'import', 'default'];

const PACKAGES = 'packages/*/test/**/*.test.ts';

/** What runs, and what of it does not. */
function suites(): { include: string[]; exclude: string[] } {
  if (onStore)
    return {
      include: [
        'packages/engine/test/*.test.ts',
        'packages/engine/test/stock/*.test.ts',
        'packages/server/test/blackbox/*.test.ts',
      ],
      exclude: ['packages/engine/test/interleaving.test.ts'], // has a broker of its own
    };
  // Against built packages: not what starts the command line (here it runs from its sources), nor what is long.
  if (built)
    return {
      include: [PACKAGES],
      exclude: ['**/blackbox/**', '**/model/**', '**/fuzz/**', '**/stock/**', '**/*.slow.test.ts'],
    };
  return { include: [PACKAGES, 'test/**/*.test.ts'], exclude: [] };
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    ...suites(),
    globalSetup: onStore ? ['test/support/store-of-run.ts'] : [],
    reporters: [
      'default',
      ...(onStore ? [new StoreReporter()] : []),
      ...(report === undefined ? [] : [['json', { outputFile: report }] satisfies [string, object]]),
    ],
    // One per core, not one less: most tests wait for other processes.
    maxWorkers: availableParallelism(),
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
