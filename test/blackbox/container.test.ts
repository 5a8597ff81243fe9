import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { cleanEnv, eventually, freePort, RawClient, ShellProcess } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectTwoThreads } from '../support/across-threads.ts';
import {
  dockerIgnores,
  executeStages,
  jsonForm,
  lastOf,
  parseDockerfile,
  readText,
} from '../support/dockerfile.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const VERSION = 'v9.8.7-test';
/** The user `node` of the base image. */
const USER = 1000;

const dockerfile = parseDockerfile(readText(ROOT, 'Dockerfile'));
const final = dockerfile.stages.at(-1);
if (final === undefined) throw new Error('no stage');

/** Files of the working tree that git knows or would take, as a fresh clone has them. */
function contextFiles(): string[] {
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  const ignored = dockerIgnores(readText(ROOT, '.dockerignore'));
  return listed.stdout
    .split('\n')
    .filter(file => file !== '' && existsSync(join(ROOT, file)) && !ignored(file));
}

describe('the Dockerfile', () => {
  test('is what the specification says of the image', () => {
    expect(jsonForm(final, 'ENTRYPOINT')).toEqual(['msg']);
    expect(jsonForm(final, 'CMD')).toEqual(['serve', '--addr', ':8000', '--state-dir', '/var/lib/msg']);
    expect(lastOf(final, 'EXPOSE')).toBe('8000/tcp');
    expect(lastOf(final, 'VOLUME')).toBe('/var/lib/msg');
    expect(lastOf(final, 'USER')).toBe('node');
    expect(lastOf(final, 'HEALTHCHECK')).toContain('["msg", "health", "--pid", "1"]');
    expect(lastOf(final, 'ARG')).toBe('VERSION=dev');
  });

  test('uses the Node.js that development and tests use, in a base without a compiler', () => {
    const { devDependencies } = JSON.parse(readText(ROOT, 'package.json'));
    expect(dockerfile.args['NODE_VERSION']).toBe(devDependencies.node);
    for (const { base } of dockerfile.stages) expect(base).toMatch(/^node:\$\{NODE_VERSION\}-\w+-slim$/);
  });

  test('does not take over what was built or installed elsewhere', () => {
    const ignored = dockerIgnores(readText(ROOT, '.dockerignore'));
    for (const file of ['node_modules/a', 'packages/x/dist/i.js', '.git/HEAD', 'x.tgz', 'compose.yaml'])
      expect(ignored(file), file).toBe(true);
    for (const file of ['package.json', 'packages/server/src/msg.ts', 'scripts/copy-lua.ts', 'LICENSE'])
      expect(ignored(file), file).toBe(false);
  });
});

/** Two installs and a build. A registry that is slow fails no image. */
const INSTALLS_MS = 900_000;

describe('its steps, executed in a clean directory', () => {
  let folder: string;
  let image: string;
  let path: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'msg-image-'));
    chmodSync(folder, 0o755);
    // The base image's Node.js: the one that runs this, and the machine's npm.
    copyFileSync(process.execPath, join(folder, 'node'));
    const outside = (process.env['PATH'] ?? '')
      .split(delimiter)
      .filter(part => !part.includes('node_modules'));
    path = [folder, ...outside].join(delimiter);
    image = await executeStages(dockerfile, {
      folder,
      context: { root: ROOT, files: contextFiles() },
      args: { VERSION },
      run: async (command, cwd, env) => {
        // Only root can give a folder away; without root it belongs to the user who runs the test.
        const line =
          process.getuid?.() === 0
            ? command.replace('node:node', `${USER}:${USER}`)
            : command.replace(/ && chown .*$/, '');
        await new ShellProcess(line, {
          cwd,
          env: { ...env, PATH: path, MSG_TEST_REPORT: undefined },
        }).succeeded();
      },
    });
  }, INSTALLS_MS);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A command line in the image, as its user. */
  function asUser(command: string): ShellProcess {
    const { HOME: _home, ...env } = cleanEnv();
    const bin = join(image, 'usr/local/bin');
    const drop =
      process.getuid?.() === 0 ? `exec setpriv --reuid=${USER} --regid=${USER} --clear-groups ` : 'exec ';
    return new ShellProcess(drop + command, {
      cwd: image,
      env: { ...env, NODE_ENV: 'production', PATH: [bin, path].join(delimiter) },
    });
  }

  const packages = (): string[] =>
    readdirSync(join(image, 'app'), { recursive: true, encoding: 'utf8' }).filter(file =>
      /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(file),
    );

  test('the tree has no development dependency, no native addon and no install script', () => {
    const names = packages().map(file => JSON.parse(readText(join(image, 'app'), file)));
    expect(names.length).toBeGreaterThan(20);
    const { devDependencies } = JSON.parse(readText(ROOT, 'package.json'));
    const inImage = readdirSync(join(image, 'app/packages'));
    const production = new Set(
      inImage.flatMap(name =>
        Object.keys(JSON.parse(readText(ROOT, `packages/${name}/package.json`)).dependencies ?? {}),
      ),
    );
    const tools = Object.keys(devDependencies).filter(name => !production.has(name) && name !== 'ajv'); // of msg-core
    expect(names.map(({ name }) => name).filter(name => tools.includes(name))).toEqual([]);
    // Traces are optional for those who install packages, and part of the image.
    expect(names.map(({ name }) => name)).toContain('@opentelemetry/sdk-trace');
    const scripted = names.filter(
      ({ scripts = {} }) => scripts.preinstall ?? scripts.install ?? scripts.postinstall,
    );
    expect(scripted.map(({ name }) => name)).toEqual([]);
    const files = readdirSync(join(image, 'app'), { recursive: true, encoding: 'utf8' });
    expect(files.filter(file => /\.node$|binding\.gyp$|\.gypi?$/.test(file))).toEqual([]);
    expect(files.filter(file => /^packages\/\w+\/(src|test)\//.test(file))).toEqual([]);
    const megabytes =
      files.reduce(
        (sum, file) =>
          sum + (statSync(join(image, 'app', file)).isFile() ? statSync(join(image, 'app', file)).size : 0),
        0,
      ) /
      2 ** 20;
    expect(megabytes).toBeLessThan(100);
  });

  test('it runs as an unprivileged user, keeps its keys in the volume and reports the version of the build', async () => {
    const version = asUser('msg --version');
    await version.succeeded();
    expect(version.stdout).toBe(`version ${VERSION}\n`);

    const port = await freePort();
    const state = join(image, 'var/lib/msg');
    const command = [...jsonForm(final, 'ENTRYPOINT'), ...jsonForm(final, 'CMD')]
      .map(word => (word === ':8000' ? `127.0.0.1:${port}` : word === '/var/lib/msg' ? state : word))
      .join(' ');
    const server = asUser(command);
    try {
      await server.printed('stderr', new RegExp(`127.0.0.1:${port}`));
      const [pid = ''] = /\d+/.exec(readFileSync(`/proc/${server.pid}/stat`, 'utf8')) ?? [];
      const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      expect(uid).not.toBe('0');
      expect(statSync(join(state, 'keyring.json')).mode & 0o777).toBe(0o600);
      expect(statSync(state).mode & 0o777).toBe(0o700);
      expect(String(statSync(join(state, 'keyring.json')).uid)).toBe(uid);

      const manifest = (await (await fetch(`http://127.0.0.1:${port}/manifest`)).json()) as {
        payload: { version: string };
      };
      expect(manifest.payload.version).toBe(VERSION);
      const client = await RawClient.open(`ws://127.0.0.1:${port}/connection/websocket`);
      expect((await client.request({ connect: {} })).connect?.version).toBe(VERSION);
      client.websocket.terminate();

      // The address of the process, not that of the image's default command.
      const health = lastOf(final, 'HEALTHCHECK');
      const words = JSON.parse(health.slice(health.indexOf('['))) as string[];
      const probe = () => asUser(words.map(word => (word === '1' ? String(server.pid) : word)).join(' '));
      await probe().succeeded();
      await server.stop();
      await expect(probe().succeeded()).rejects.toThrow(/exit code 1/);
    } finally {
      await server.stop();
    }
  });

  test('its threads find their program: it serves with two', async () => {
    const port = await freePort();
    const server = asUser(`msg serve --addr 127.0.0.1:${port} --threads 2`);
    try {
      await server.printed('stderr', new RegExp(`127.0.0.1:${port}.*\n`));
      await expectTwoThreads(port, server.stderr);
    } finally {
      await server.stop();
    }
  });

  test('it has what a PostgreSQL outbox needs', async () => {
    const database = await PostgresServer.start();
    const address = `postgres://admin:${database.password}@127.0.0.1:${database.port}/shop`;
    const withOutbox = (words: string) => asUser(`env MSG_OUTBOX_POSTGRES_URL=${address} msg ${words}`);
    try {
      const migration = withOutbox('outbox migrate');
      await migration.succeeded();
      expect(JSON.parse(migration.stdout).payload).toMatchObject({ schema: 'msg', from: 0 });
      const server = withOutbox('serve --addr 127.0.0.1:0');
      try {
        await server.printed('stderr', /"msg":"listening"/);
        database.sql(`SELECT msg.publish('private:shop.order.1', '1'::text)`);
        const claimed = 'SELECT count(*) FROM msg.outbox WHERE version IS NOT NULL';
        await eventually('its worker claims the row', () => database.sql(claimed) === '1');
      } finally {
        await server.stop();
      }
    } finally {
      await database.stop();
    }
  });

  test('the sources keep their own version', () => {
    expect(readText(ROOT, 'packages/server/src/config/version.ts')).toContain("VERSION = 'dev'");
    expect(dirname(image)).toBe(folder);
  });
});
