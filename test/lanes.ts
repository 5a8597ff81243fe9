/** Where the tests are. */
const ALL = ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'];

/**
 * The long lane: both stock versions × transports × encodings, clusters and faults, fuzz, model, crash sieges, languages
 * of the generator, pages and runbooks, browsers, and every algorithm but the first.
 */
const LONG = [
  '**/*.slow.test.ts',
  '**/model/**',
  '**/fuzz/**',
  'packages/client/test/blackbox/**',
  'packages/react/test/blackbox/**',
  'packages/codegen/test/blackbox/**',
  'packages/dash/test/store/crash/**',
  'packages/engine/test/blackbox/**',
  'packages/engine/test/chat/**',
  'packages/engine/test/redis/**',
  'packages/engine/test/stock/**',
  'packages/server/test/blackbox/cluster/**',
  'packages/server/test/blackbox/frameworks/**',
  'packages/server/test/blackbox/{body-parsers,browser,operator,resets,tokens-for-your-users,webtransport}.test.ts',
  'packages/server/test/blackbox/tokens-*.test.ts',
  'test/blackbox/**',
  'test/{any-bytes,conformance,listener-life,pages,site}.test.ts',
];

/** Black box: real parts, in memory and on one Redis, that are not long. */
const BLACK_BOX = ['**/blackbox/**'];

/** Files of no such folder that start processes (stores, git, programs) or wait for real time. */
const NOT_UNIT = [
  'packages/{client,react}/test/size.test.ts',
  'packages/dash/test/changeset/{pipeline,resolved}.test.ts',
  'packages/dash/test/cli/{program,restore}.test.ts',
  'packages/dash/test/store/{contract,git-dialogue,git-store,locks}.test.ts',
  'packages/engine/test/readme/readme.test.ts',
  'packages/engine/test/slow-consumer.test.ts',
  'packages/protocol/test/portable.test.ts',
  'packages/redis/test/{master-watch,store}.test.ts',
  'packages/server/test/channels/registry/redis.test.ts',
  'packages/server/test/cli/login.test.ts',
  'packages/server/test/notify/dead-letters/redis.test.ts',
  'packages/server/test/auth/keys/store/redis.test.ts',
  'packages/server/test/stores/redis/{contracts,store-time}.test.ts',
  'packages/server/test/stores/{cluster-bus,shared}.test.ts',
  'test/{bench-against,ci-budget,ops,outside}.test.ts',
];

/** What opens pages of the built documentation. */
const SITE = ['test/site/**/*.test.ts'];

/** What each lane runs. Every test file is in exactly one. */
export const LANES = {
  /** Logic: no process, no network but loopback, modules loaded once. */
  unit: { include: ALL, exclude: [...LONG, ...BLACK_BOX, ...NOT_UNIT, ...SITE] },
  blackbox: { include: [...BLACK_BOX.flatMap(inEach), ...NOT_UNIT], exclude: LONG },
  long: { include: LONG.flatMap(inEach), exclude: [...SITE] },
  /** The built documentation in a browser. */
  site: { include: SITE, exclude: [] },
};

/** A pattern of folders as one of the test files below them. */
function inEach(pattern: string): string[] {
  if (pattern.endsWith('.test.ts') && !pattern.startsWith('**')) return [pattern];
  const files = pattern.endsWith('.test.ts') ? pattern : `${pattern}/*.test.ts`;
  return files.startsWith('**/') ? [`packages/*/test/${files}`, `test/${files}`] : [files];
}
