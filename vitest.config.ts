import { defineConfig } from 'vitest/config';

// MSG_TEST_BUILT=1 runs the fast suites of the packages against their built output instead of the sources.
const built = process.env['MSG_TEST_BUILT'] === '1';
// MSG_TEST_REPORT names a file that receives the results as JSON, for the sum that CI prints.
const report = process.env['MSG_TEST_REPORT'];
const conditions = [...(built ? [] : ['msg-source']), 'node', 'import', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: built ? ['packages/*/test/**/*.test.ts'] : ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Against built packages: not what starts the command line (here it runs from its sources), nor what is long.
    exclude: built ? ['**/blackbox/**', '**/model/**', '**/fuzz/**', '**/stock/**', '**/*.slow.test.ts'] : [],
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
