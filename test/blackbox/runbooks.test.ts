import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { cleanEnv, freePort, ShellProcess } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import { RedisServer } from '@msg/testkit/redis';
import { describe, expect, type TestContext, test } from 'vitest';
import { isFollowed, PAGES, ROOT, readPage } from '../support/pages.ts';
import { scriptOf } from '../support/runbook.ts';

/** The programs of the packages, as an installation puts them on the path. */
const PROGRAMS = { msg: 'server', 'msg-gen': 'codegen', dashdoc: 'dash' };

function installInto(folder: string): void {
  for (const [name, packageName] of Object.entries(PROGRAMS)) {
    const program = join(ROOT, 'packages', packageName, 'bin', `${name}.js`);
    writeFileSync(join(folder, name), `#!/bin/sh\nexec node ${program} "$@"\n`, { mode: 0o755 });
  }
  // What it looks for is on the path.
  writeFileSync(join(folder, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
}

/** Redis servers for a page that names them, as `<name>:6379`: two, the second as `redis.us`. */
async function storesFor(page: string, context: Pick<TestContext, 'onTestFinished'>) {
  if (!page.includes('redis.internal:6379')) return { names: {}, env: {} };
  const [first, second] = await Promise.all([RedisServer.start(), RedisServer.start()]);
  context.onTestFinished(async () => {
    await Promise.all([first.stop(), second.stop()]);
  });
  const names = {
    'redis.internal:6379': first.address,
    'redis.eu:6379': first.address,
    'redis.us:6379': second.address,
  };
  return { names, env: { REDIS_PID: String(first.pid) } };
}

/** A PostgreSQL with the superuser `owner` for a page that names it, as `db.internal:5432`. */
async function databaseFor(page: string, context: Pick<TestContext, 'onTestFinished'>) {
  if (!page.includes('db.internal:5432')) return {};
  const server = await PostgresServer.start();
  context.onTestFinished(() => server.stop());
  server.addRole('owner', ['ALTER ROLE owner SUPERUSER']);
  return {
    'the-password': server.password,
    'db.internal:5432': `127.0.0.1:${server.port}`,
  };
}

async function follow(page: string, context: Pick<TestContext, 'onTestFinished'>): Promise<ShellProcess> {
  // Programs of a page find the packages as anything below the repository does.
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.tmp/runbook-'));
  const named = [8000, ...[9000, 8080, 8081, 8082, 8083].filter(port => page.includes(`${port}`))];
  const free = await Promise.all(named.map(async port => [port, await freePort()]));
  const ports: Record<string, number> = Object.fromEntries(free);
  const stores = await storesFor(page, context);
  const database = await databaseFor(page, context);
  const names = { ...stores.names, ...database, '/srv/dashboards': join(folder, 'dashboards') };
  installInto(folder);
  // What a page commits belongs into a repository of its own, not into the one around it.
  execFileSync('git', ['init', '--quiet', folder]);
  writeFileSync(join(folder, 'page.sh'), scriptOf(page, { folder, ports, names }));
  const env = {
    ...cleanEnv(),
    ...stores.env,
    HOME: folder,
    // What Go has compiled before.
    GOCACHE: process.env['GOCACHE'] ?? join(homedir(), '.cache/go-build'),
    // The page about embedding says itself how its programs find the packages.
    ...(page.startsWith('# Embedding\n') ? {} : { NODE_OPTIONS: '--conditions=msg-source' }),
    PORT: String(ports[8000]),
    DASH_PORT: String(ports[8080]),
    MSG_SERVER: `http://localhost:${ports[8000]}`,
    PATH: [folder, dirname(process.execPath), process.env['PATH']].join(delimiter),
  };
  const shell = new ShellProcess('exec bash page.sh', { cwd: folder, env });
  context.onTestFinished(async () => {
    await shell.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await shell.succeeded();
  return shell;
}

describe('the pages that people follow', () => {
  test.concurrent.for(PAGES.filter(isFollowed))(
    '%s holds, command by command',
    { timeout: 120_000 },
    async (path, context) => {
      const shell = await follow(readPage(path), context);
      expect(shell.stdout).toMatch(/the page holds\n$/);
    },
  );

  test('a page that promises something else fails', async context => {
    const page = '```sh\necho one\n```\n\n```output\ntwo\n```\n';
    await expect(follow(page, context)).rejects.toThrow(/expected:\ntwo\ngot:\none/);
    await expect(follow('```sh\nfalse\necho late\n```\n', context)).rejects.toThrow('exit code 1');
  });
});
