import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually, freePort, runMsg } from '@msg/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { logRecords } from '../support/log-records.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

const SECRET = 's3cret-pa55word';

/** The address of a database that does not answer. */
async function deadDatabase(): Promise<string> {
  return `postgres://app:${SECRET}@127.0.0.1:${await freePort()}/shop`;
}

/** A module that makes the process see a package as not installed. */
async function without(name: string): Promise<string> {
  const file = join(await temporaryFolder(), 'missing.mjs');
  const text = `Object.assign(new Error("Cannot find package '${name}'"), { code: 'ERR_MODULE_NOT_FOUND' })`;
  writeFileSync(
    file,
    `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== '${name}') return next(specifier, context);
    throw ${text};
  },
});
`,
  );
  return `--import=${pathToFileURL(file).href}`;
}

it.each([
  ['@msg/postgres', 'npm install @msg/postgres postgres'],
  ['postgres', 'npm install postgres'],
])('without the package %s the boot fails with the line that installs it', async (name, line) => {
  const env = { MSG_OUTBOX_POSTGRES_URL: await deadDatabase(), NODE_OPTIONS: await without(name) };
  const { code, stdout, stderr } = await runMsg(['serve', '--addr', '127.0.0.1:0'], { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: /m);
  expect(stderr).toContain(line);
  expect(stderr).not.toContain(SECRET);
  expect(stderr, 'no token is printed by what does not run').not.toContain('bootstrap');
});

it('a database that is away is told and does not stop delivery; its password is nowhere', async () => {
  const server = await startServer({ env: { MSG_OUTBOX_POSTGRES_URL: await deadDatabase() } });
  onTestFinished(() => server.stop());
  const textOf = async (path: string): Promise<string> => (await fetch(server.url + path)).text();
  await eventually('the log tells what is waited for', () =>
    logRecords(server.output().stderr).some(({ msg }) => msg === 'outbox: waiting'),
  );
  const readiness = await fetch(`${server.url}/readyz`);
  expect(readiness.status).toBe(200);
  expect(await readiness.json()).toMatchObject({
    ready: true,
    subsystems: {
      outbox: { ok: true, detail: expect.stringMatching(/^waiting for the database: [A-Z_]+$/) },
    },
  });
  const call = rpcOf(server.url, server.token);
  expect((await call('OpenPublic', { name: 'public:shop.news' })).status).toBe(200);
  expect((await call('Publish', { name: 'public:shop.news', payload: 'MQ==' })).status).toBe(200);
  const answers = [await call('Config', {}), await call('ListNodes', {})];
  const shown = [await textOf('/readyz'), await textOf('/manifest'), await textOf('/metrics')];
  await server.stop();
  const { stdout, stderr } = server.output();
  expect([stdout, stderr, ...shown, JSON.stringify(answers)].join('\n')).not.toContain(SECRET);
});
