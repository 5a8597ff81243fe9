/** Where the tests are. */
const ALL = ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'];

/** Proofs in their seeded form: the simulation, the model over links, the outbox and jobs under kills, faults of threads and of Redis. */
const PROOFS = [
  'packages/engine/test/model/threads/**',
  'packages/engine/test/redis/load-faults/**',
  'packages/server/test/threads/blackbox/faults.slow.test.ts',
  'packages/sim/test/blackbox/**',
  'test/jobs-siege/siege.slow.test.ts',
  'test/outbox-kill/kill.slow.test.ts',
  'test/thread-faults/faults.slow.test.ts',
];

/** Journeys through pages in Chromium: console (on two nodes and Redis, `memory-*` on one), dash, review, pictures, the agent's preview, a simulated run, React, `/msg.js`, the starter. */
const PAGES = [
  'packages/client/test/blackbox/{browser,refused-tokens,script}.test.ts',
  'packages/console/test/*.slow.test.ts',
  'packages/dash/test/export/browser.slow.test.ts',
  'packages/dash/test/http/browser.slow.test.ts',
  'packages/dash/test/mcp/preview-app.slow.test.ts',
  'packages/dash/test/web/*.slow.test.ts',
  'packages/react/test/blackbox/**',
  'packages/sim/test/view/browser.slow.test.ts',
  'packages/server/test/blackbox/{browser,tokens-for-your-users}.test.ts',
  'test/blackbox/{ai-chat-example,chat-example,observe-example,orders-example,starter}.test.ts',
];

/**
 * The long lane: both stock versions × transports × encodings, clusters and faults, fuzz, model, crash sieges, languages
 * of the generator, pages and runbooks of the documentation, and every algorithm but the first.
 */
const LONG = [
  '**/*.slow.test.ts',
  '**/model/**',
  '**/fuzz/**',
  'packages/client/test/blackbox/**',
  'packages/codegen/test/blackbox/**',
  'packages/dash/test/store/crash/**',
  'packages/engine/test/blackbox/**',
  'packages/engine/test/chat/**',
  'packages/engine/test/redis/**',
  'packages/engine/test/stock/**',
  'packages/server/test/blackbox/cluster/**',
  'packages/server/test/blackbox/frameworks/**',
  'packages/server/test/blackbox/{body-parsers,operator,resets,webtransport}.test.ts',
  'packages/server/test/blackbox/tokens-*.test.ts',
  'test/blackbox/**',
  'test/{any-bytes,conformance,listener-life,pages,site}.test.ts',
];

/** Black box: real parts, in memory and on one Redis, that are not long. */
const BLACK_BOX = ['**/blackbox/**'];

/** Files of no such folder that start processes (stores, git, programs) or wait for real time. */
const NOT_UNIT = [
  'packages/{client,console,react}/test/size.test.ts',
  'packages/dash/test/changeset/{pipeline,resolved}.test.ts',
  'packages/dash/test/cli/{program,restore}.test.ts',
  'packages/dash/test/store/{contract,git-branch,git-dialogue,git-index,git-store,locks}.test.ts',
  'packages/engine/test/readme/readme.test.ts',
  'packages/engine/test/slow-consumer.test.ts',
  'packages/engine/test/threads/{bounds,real-threads,two-threads}.test.ts',
  'packages/server/test/stores/threads/{contracts,truth}.test.ts',
  'packages/protocol/test/portable.test.ts',
  'packages/redis/test/{asking,master-watch,store}.test.ts',
  'packages/server/test/channels/registry/{cached-state,redis}.test.ts',
  'packages/server/test/cli/login.test.ts',
  'packages/server/test/notify/dead-letters/redis.test.ts',
  'packages/server/test/auth/keys/store/redis.test.ts',
  'packages/server/test/stores/redis/{contracts,marks-set-again,store-time}.test.ts',
  'packages/server/test/stores/{cluster-bus,shared}.test.ts',
  'test/{bench-against,ci-budget,ops,outside}.test.ts',
];

/** What opens pages of the built documentation. */
const SITE = ['test/site/**/*.test.ts'];

/** Files that take more than a quarter of a minute, lane by lane the longest first, as `npm run test:times` prints them. */
export const LONGEST_FIRST: readonly string[] = [
  'packages/server/test/blackbox/true-answers.test.ts',
  'packages/server/test/blackbox/cli-examples.test.ts',
  'packages/postgres/test/blackbox/bad-luck.test.ts',
  'packages/dash/test/data/blackbox/sql.test.ts',
  'packages/server/test/threads/blackbox/serve-threads.test.ts',
  'packages/server/test/blackbox/dlq.test.ts',
  'packages/server/test/blackbox/first-light.test.ts',
  'packages/sim/test/bridge/bridge.slow.test.ts',
  'packages/server/test/threads/blackbox/process-limits.test.ts',
  'packages/postgres/test/blackbox/processes.test.ts',
  'packages/server/test/rpc/answer-bytes.test.ts',
  'packages/postgres/test/blackbox/counted.test.ts',
  'packages/server/test/cli/login.test.ts',
  'packages/dash/test/data/blackbox/sql-serve.test.ts',
  // It takes minutes where Helm is not built yet.
  'test/helm.slow.test.ts',
  'test/blackbox/pack.test.ts',
  'test/blackbox/container.test.ts',
  'packages/engine/test/redis/contracts.test.ts',
  'packages/engine/test/model/append/append-faults.test.ts',
  'packages/server/test/blackbox/cluster/two-nodes.test.ts',
  'test/release.slow.test.ts',
  'test/friendliness.slow.test.ts',
  'packages/server/test/blackbox/cluster/appends/faults.test.ts',
  'test/watch.slow.test.ts',
  'packages/server/test/blackbox/every-command.slow.test.ts',
  'packages/server/test/threads/blackbox/placement.slow.test.ts',
  'packages/server/test/blackbox/cluster/store-faults/matrix.test.ts',
  'packages/server/test/blackbox/cluster/lost-tail/lost-tail.test.ts',
  'test/blackbox/runbooks.test.ts',
  'packages/dash/test/http/commits.slow.test.ts',
  'test/rolling-restart.slow.test.ts',
  'packages/server/test/stores/example-suites.slow.test.ts',
  'test/listener-life.test.ts',
  'packages/server/test/blackbox/frameworks/next.test.ts',
  'packages/server/test/blackbox/cluster/api-keys.test.ts',
  'packages/server/test/blackbox/cluster/outages.test.ts',
  'packages/server/test/blackbox/real-time.slow.test.ts',
  'test/append-readers.slow.test.ts',
  'packages/server/test/blackbox/cluster/appends/producers.test.ts',
  'test/postgres-snippets.slow.test.ts',
  'packages/engine/test/redis/sharded-faults.test.ts',
  'packages/engine/test/model/append/redis-model.test.ts',
  'packages/server/test/blackbox/cluster/operators-work.test.ts',
  'packages/dash/test/mcp/elicitation.slow.test.ts',
  'packages/protocol/test/fuzz/fuzz.test.ts',
  'test/any-bytes.test.ts',
  'packages/server/test/blackbox/append-command.slow.test.ts',
  'packages/server/test/threads/blackbox/starting.slow.test.ts',
  'test/append-losses/losses.slow.test.ts',
  'packages/server/test/blackbox/cluster/section-22.test.ts',
  'packages/server/test/blackbox/body-parsers.test.ts',
  'test/peers.slow.test.ts',
  'packages/dash/test/cli/commits.slow.test.ts',
  'packages/engine/test/redis/section-22.test.ts',
  'packages/engine/test/redis/threads.test.ts',
  'test/add-sink-kind.slow.test.ts',
  'packages/server/test/stores/redis/failures.slow.test.ts',
  'packages/server/test/blackbox/operator.test.ts',
  'packages/engine/test/stock/recovery.test.ts',
  'test/blackbox/thread-alerts.test.ts',
  'test/blackbox/readme.test.ts',
  'test/append-readers-cut.slow.test.ts',
  'packages/engine/test/blackbox/unread/unread-replies.test.ts',
  'packages/server/test/blackbox/cluster/example.test.ts',
  'packages/sim/test/bridge/set-truth.slow.test.ts',
  'packages/sim/test/blackbox/mutants.slow.test.ts',
  'packages/server/test/threads/blackbox/faults.slow.test.ts',
  'packages/sim/test/blackbox/shrink.slow.test.ts',
  'test/outbox-kill/kill.slow.test.ts',
  'test/jobs-siege/siege.slow.test.ts',
  'packages/engine/test/model/threads/thread-model.test.ts',
  'packages/engine/test/redis/load-faults/faults.slow.test.ts',
  'packages/console/test/parity.slow.test.ts',
  'test/blackbox/starter.test.ts',
  'packages/console/test/markup-pages.slow.test.ts',
  'packages/console/test/service-pages.slow.test.ts',
  'packages/console/test/firefox.slow.test.ts',
  'test/blackbox/ai-chat-example.test.ts',
  'packages/console/test/node-death.slow.test.ts',
  'packages/console/test/pages.slow.test.ts',
  'packages/console/test/same-effect.slow.test.ts',
  'packages/console/test/forgery.slow.test.ts',
  'packages/dash/test/web/page.slow.test.ts',
  'packages/dash/test/export/browser.slow.test.ts',
  'packages/dash/test/web/scripts-off.slow.test.ts',
  'packages/dash/test/web/pictures.slow.test.ts',
  'packages/client/test/blackbox/refused-tokens.test.ts',
  'packages/console/test/delivery-pages.slow.test.ts',
  'packages/console/test/looking.slow.test.ts',
  'packages/console/test/live-regions.slow.test.ts',
  'packages/console/test/live.slow.test.ts',
  'packages/console/test/bad-luck.slow.test.ts',
  'packages/console/test/directory.slow.test.ts',
  'packages/console/test/dead-letters.slow.test.ts',
  'packages/dash/test/mcp/preview-app.slow.test.ts',
  'packages/console/test/forced-and-printed.slow.test.ts',
  'packages/console/test/memory-letters.slow.test.ts',
  'packages/react/test/blackbox/react.test.ts',
  'packages/dash/test/web/pictures-of-pages.slow.test.ts',
  'packages/console/test/markup-answers.slow.test.ts',
  'packages/console/test/markup.slow.test.ts',
  'packages/dash/test/web/manage-browser.slow.test.ts',
  'packages/console/test/journeys.slow.test.ts',
  'packages/dash/test/web/review-safety.slow.test.ts',
  'packages/console/test/memory-directory.slow.test.ts',
  'packages/console/test/empty-states.slow.test.ts',
  'packages/console/test/channel-page.slow.test.ts',
  'packages/dash/test/web/keyboard-of-new-parts.slow.test.ts',
  'packages/dash/test/web/golden-reviews.slow.test.ts',
  'packages/console/test/nodes-that-stop.slow.test.ts',
  'test/blackbox/orders-example.test.ts',
  'packages/console/test/rotation.slow.test.ts',
];

/** What each lane runs. Every test file is in exactly one. */
export const LANES = {
  /** Logic: no process, no network but loopback, modules loaded once. */
  unit: { include: ALL, exclude: [...LONG, ...PROOFS, ...PAGES, ...BLACK_BOX, ...NOT_UNIT, ...SITE] },
  blackbox: { include: [...BLACK_BOX.flatMap(inEach), ...NOT_UNIT], exclude: [...LONG, ...PROOFS, ...PAGES] },
  long: { include: LONG.flatMap(inEach), exclude: [...PROOFS, ...PAGES, ...SITE] },
  proofs: { include: PROOFS.flatMap(inEach), exclude: [] },
  pages: { include: PAGES.flatMap(inEach), exclude: [] },
  /** The built documentation in a browser. */
  site: { include: SITE, exclude: [] },
};

/** A pattern of folders as one of the test files below them. */
function inEach(pattern: string): string[] {
  if (pattern.endsWith('.test.ts') && !pattern.startsWith('**')) return [pattern];
  const files = pattern.endsWith('.test.ts') ? pattern : `${pattern}/*.test.ts`;
  return files.startsWith('**/') ? [`packages/*/test/${files}`, `test/${files}`] : [files];
}
