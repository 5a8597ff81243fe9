import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));
/** Files below `config` that say what a service is told, and read no setting. */
const CONFIG_OF_SERVICES =
  /\/config\/(?:directory|issuer-address|listen-address|loopback-origins|running-setting|token-text|version)\.ts$/;
const PACKAGE = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;

let urls: readonly string[] = [];

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'msg-server-'));
  const list = join(folder, 'loaded.txt');
  const hooks = join(folder, 'hooks.mjs');
  await writeFile(
    hooks,
    `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';
registerHooks({
  load(url, context, next) {
    if (!isMainThread) appendFileSync(${JSON.stringify(list)}, url + '\\n');
    return next(url, context);
  },
});`,
  );
  const program = `
const { Msg } = await import('@msg/server');
const msg = await Msg.start({ threads: 2, listen: { port: 0 } });
await msg.stop();`;
  const flags = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning', `--import=${hooks}`];
  execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', program], { cwd: REPOSITORY });
  urls = [...new Set((await readFile(list, 'utf8')).trim().split('\n'))];
  await rm(folder, { recursive: true });
});

test('a thread loads a service', () => {
  expect(urls.filter(url => url.includes('/packages/engine/src/session/')).length).toBeGreaterThan(20);
});

test('a thread loads one package from the registry, and not all of it', () => {
  const packages = urls.flatMap(url => PACKAGE.exec(url)?.[1] ?? []);
  expect([...new Set(packages)]).toEqual(['prom-client']);
  expect(
    urls.filter(url => /prom-client\/(?:index|lib\/(?:cluster|defaultMetrics|summary))\.js$/.test(url)),
  ).toEqual([]);
});

test.each([
  ['programs', /\/packages\/command-line\/|\/packages\/server\/(?:src\/cli|bin)\//],
  ['the main thread', /\/server\/src\/threads\/(?:main|placement|session-thread|thread-servers)\.ts$/],
  ['settings', /\/packages\/server\/src\/config\//],
  [
    'connections to a store',
    /\/packages\/redis\/src\/(?:clients|master-watch|publish|script|store|subscriptions)\.ts$/,
  ],
  ['sinks that send', /\/notify\/sinks\/\w+\/(?!settings)[\w-]+\.ts$/],
  ['the logger of a process', /\/process-logger\.ts$/],
])('a thread loads nothing of %s', (_name, pattern) => {
  expect(urls.filter(url => pattern.test(url) && !CONFIG_OF_SERVICES.test(url))).toEqual([]);
});
