import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { LANES } from './test/lanes.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { StoreReporter } from './test/support/store-reporter.ts';

// MSG_TEST_BUILT=unit|fast runs the unit lane, or all fast suites, of the packages against their built output instead
// of the sources.
const builtSuites = process.env['MSG_TEST_BUILT'] ?? '';
const built = builtSuites !== '';
// MSG_TEST_STORE=standalone|sentinel|cluster runs the suites that a store can matter to on one that the run starts;
// threads|threads-reuseport runs them on memory with two threads, standalone-threads on a store, with the suites of clusters.
const onStore = (process.env['MSG_TEST_STORE'] ?? '') !== '';
// MSG_TEST_REPORT names a file that receives the results as JSON, for the sum that CI prints.
const report = process.env['MSG_TEST_REPORT'];
const conditions = [...(built ? [] : ['msg-source']), 'node', 'import', 'default'];

// Programs that tests start are the same ones again and again: what Node.js compiled of them, types stripped, is kept.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '.tmp/compile-cache');
// Packages that tests install again and again are npm's copies: the registry is asked only for those that it does not have.
process.env['npm_config_prefer_offline'] ??= 'true';

const CORES = availableParallelism();
/**
 * Where tests wait most of the time, for other processes or for time to pass, two files run for each core, and what
 * computes has half of one: it gets twice the time.
 */
const BESIDE_OTHERS = { maxWorkers: 2 * CORES, testTimeout: 60_000, hookTimeout: 120_000 };
/**
 * Modules of the unit lane are loaded once: a test that leaves something behind breaks another one. Processes, not
 * threads: after the whole lane a thread could not be ended, and the run with it. Two for each core: a third of the
 * time goes by in waits.
 */
const UNIT = { pool: 'forks', isolate: false, maxWorkers: 2 * CORES } as const;
/**
 * Two nodes, a store, a proxy and a browser on one machine: beside other work each step takes several times as long. With two
 * files for each core less than half of the machine was used.
 */
const PAGES = { ...BESIDE_OTHERS, maxWorkers: 3 * CORES, testTimeout: 240_000, hookTimeout: 240_000 };
/** `--sequence.shuffle` chooses the order itself. */
const isShuffled = process.argv.some(word => word.startsWith('--sequence.shuffle'));

/** One Chromium for all files of a lane. */
const CHROMIUM = 'test/support/chromium-of-run.ts';

// The scripts of pages are bundled: they have no built modules.
const PAGE_SCRIPTS = {
  find: /^#src(?=\/web\/islands\/)/,
  replacement: join(import.meta.dirname, 'packages/dash/src'),
};

const PACKAGES = 'packages/*/test/**/*.test.ts';

/** What runs, and what of it does not, where there are no lanes. */
function suites(): { include: string[]; exclude: string[] } {
  if (onStore)
    return {
      include: [
        'packages/engine/test/*.test.ts',
        'packages/engine/test/stock/*.test.ts',
        'packages/server/test/blackbox/*.test.ts',
        ...(process.env['MSG_TEST_STORE'] === 'standalone-threads'
          ? ['packages/server/test/blackbox/cluster/**/*.test.ts']
          : []),
      ],
      exclude: [
        'packages/engine/test/interleaving.test.ts', // has a broker of its own
        // How connections reach threads, and that one process is one node of a store, are the service's.
        ...(/^threads-reuseport$|-threads$/.test(process.env['MSG_TEST_STORE'] ?? '')
          ? ['packages/engine/**']
          : []),
      ],
    };
  if (builtSuites === 'unit') return { include: [PACKAGES], exclude: LANES.unit.exclude };
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
  return [
    lane('unit', UNIT),
    lane('blackbox', { ...BESIDE_OTHERS, sequence: { groupOrder: 1 } }),
    lane('long', { ...BESIDE_OTHERS, sequence: { groupOrder: 2 } }),
    lane('proofs', { ...BESIDE_OTHERS, sequence: { groupOrder: 3 } }),
    lane('pages', { ...PAGES, sequence: { groupOrder: 4 }, globalSetup: [CHROMIUM] }),
    lane('site', { globalSetup: ['test/support/build-site.ts', CHROMIUM] }),
  ];
}

export default defineConfig({
  resolve: { conditions, alias: built ? [PAGE_SCRIPTS] : [] },
  ssr: { resolve: { conditions } },
  test: {
    ...(built || onStore ? suites() : { projects: lanes() }),
    ...(builtSuites === 'unit' ? UNIT : {}),
    globalSetup: onStore ? ['test/support/store-of-run.ts'] : [],
    setupFiles: process.env['MSG_TEST_PROCESSES'] === undefined ? [] : ['test/support/count-processes.ts'],
    reporters: [
      'default',
      ...(onStore ? [new StoreReporter()] : []),
      ...(report === undefined ? [] : [['json', { outputFile: report }] satisfies [string, object]]),
    ],
    // One per core, not one less.
    maxWorkers: CORES,
    ...(isShuffled ? {} : { sequence: { sequencer: LongestFirst } }),
    testTimeout: onStore ? BESIDE_OTHERS.testTimeout : 30_000,
    hookTimeout: onStore ? BESIDE_OTHERS.hookTimeout : 60_000,
  },
});
