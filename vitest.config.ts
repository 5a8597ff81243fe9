import { defineConfig } from 'vitest/config';

// MSG_TEST_BUILT=1 runs the same suites against the built packages (dist) instead of their sources.
const built = process.env['MSG_TEST_BUILT'] === '1';
const conditions = built ? [] : ['msg-source'];

export default defineConfig({
  resolve: { conditions: [...conditions, 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: [...conditions, 'node', 'import', 'default'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
