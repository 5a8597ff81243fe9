/** A test file and the title of a test in it. */
export type Evidence = readonly [file: string, title: string];

export const server = (file: string, title: string): Evidence => [
  `packages/server/test/${file}.test.ts`,
  title,
];
export const engine = (file: string, title: string): Evidence => [
  `packages/engine/test/${file}.test.ts`,
  title,
];
export const console = (file: string, title: string): Evidence => [
  `packages/console/test/${file}.test.ts`,
  title,
];
export const dash = (file: string, title: string): Evidence => [`packages/dash/test/${file}.test.ts`, title];
export const redis = (file: string, title: string): Evidence => [
  `packages/redis/test/${file}.test.ts`,
  title,
];
export const patterns = (title: string): Evidence => ['test/regular-expressions.test.ts', title];
export const attacks = (title: string): Evidence => ['test/hostile/cases/ending.ts', title];

export const PRIVATE_URLS =
  'refuses those that lead into private networks: the caller is told, nothing is sent or parked';
