import { defineConfig } from 'vitest/config';

// One server for all files, and channels with fixed names: files and tests run one after the other.
export default defineConfig({
  root: import.meta.dirname,
  test: { include: ['*.test.ts'], fileParallelism: false, testTimeout: 20_000 },
});
