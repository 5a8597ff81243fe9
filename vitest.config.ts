import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { LANES } from './test/lanes.ts';
import { StoreReporter } from './test/support/store-reporter.ts';

// MSG_TEST_BUILT=1 runs the fast suites of the packages against their built output instead of the sources.
const built = process.env['MSG_TEST_BUILT'] === '1';
// MSG_TEST_STORE=standalone|sentinel|cluster runs the suites that a store can matter to on one that the run starts.
const onStore = (process.env['MSG_TEST_STORE'] ?? '') !== '';
// MSG_TEST_REPORT names a file that receives the results as JSON, for the sum that CI prints.
const report = process.env['MSG_TEST_REPORT'];
const conditions = [...(built ? [] : ['msg-source']), 'node', 'import', 'default'];

const PACKAGES = 'packages/*/test/**/*.test.ts';

/** What runs, and what of it does not, where there are no lanes. */
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
  return {
    include: [PACKAGES],
    exclude: ['**/blackbox/**', '**/model/**', '**/fuzz/**', '**/stock/**', '**/*.slow.test.ts'],
  };
}

/** The lanes of test/lanes.ts, each a project of its own. */
function lanes(): TestProjectConfiguration[] {
  const lane = (name: keyof typeof LANES, how: object = {}): TestProjectConfiguration => ({
    extends: true,
    test: { name, ...LANES[name], ...how },
  });
  // Modules of the unit lane are loaded once: a test that leaves something behind breaks another one. Processes, not
  // threads: after the whole lane a thread could not be ended, and the run with it.
  return [
    lane('unit', { pool: 'forks', isolate: false }),
    lane('blackbox'),
    lane('long'),
    lane('site', { globalSetup: ['test/support/build-site.ts'] }),
  ];
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    ...(built || onStore ? suites() : { projects: lanes() }),
    globalSetup: onStore ? ['test/support/store-of-run.ts'] : [],
    setupFiles: process.env['MSG_TEST_PROCESSES'] === undefined ? [] : ['test/support/count-processes.ts'],
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
