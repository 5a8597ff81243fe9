import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually, freePort, RawClient, ShellProcess } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicPackages, readManifest } from '../../scripts/packages.ts';
import { expectTwoThreads } from '../support/across-threads.ts';
import { writeAiPage } from '../support/ai-page.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = publicPackages(ROOT);
const NAMES = FOLDERS.map(folder => readManifest(ROOT, folder).name);
/** Of an installation of the server with everything it needs. */
const MAX_BYTES = 22e6;
/** The folder has no Node of its own: use the one that runs this. */
const PATH = `${resolve(process.execPath, '..')}:${process.env['PATH']}`;

const { peerDependencies: PEERS_OF_AI } = readManifest(ROOT, 'packages/ai');
const AI_VERSIONS = [
  ['the lowest', (range: string) => range.slice(1)],
  ['the newest', (range: string) => range],
] as const;
const NODE_VERSIONS = ['22.12.0', '24', '26'] as const;

let home: string;
/** Package → its tarball. */
let tarballs: ReadonlyMap<string, string>;
/** What is installed beside the cases: its name → the folder. */
const installed = new Map<string, Promise<string>>();
/** The path of each version's Node.js. */
const nodes = new Map<string, Promise<string>>();

/** The task begins when the one before has ended, well or not. Who waits for it gets its error. */
function after<T>(before: Promise<unknown> | undefined, task: () => Promise<T>): Promise<T> {
  const begun = (before ?? Promise.resolve()).then(task, task);
  begun.catch(() => {});
  return begun;
}

/** Installs wait for a registry, so two run beside the cases that wait for them, in the order of the cases. */
function beginInstalls(): void {
  const pnpm = `"${process.execPath}" "${resolve(ROOT, 'node_modules/pnpm/bin/pnpm.cjs')}"`;
  const installs: readonly (readonly [string, readonly string[], string])[] = [
    ['npm', NAMES, 'npm install --loglevel=error'],
    ['server', ['@msg/server'], 'npm install --omit=dev --loglevel=error'],
    ['linked', ['@msg/server'], 'npm install --install-strategy=linked --omit=dev --loglevel=error'],
    ['pnpm', NAMES, `${pnpm} install --store-dir ${join(home, 'store')} --reporter silent`],
  ];
  let last: Promise<unknown> | undefined;
  for (const [folder, names, command] of installs) {
    const install = after(last, async () => {
      const cwd = project(folder, names);
      await done(command, cwd);
      return cwd;
    });
    installed.set(folder, install);
    last = install;
  }
  last = undefined;
  for (const version of NODE_VERSIONS) {
    const node: Promise<string> = after(last, async () => {
      const { stdout } = await done(`"${process.execPath}" scripts/node-binary.ts ${version}`, ROOT);
      return stdout.trim();
    });
    nodes.set(version, node);
    last = node;
  }
  for (const [which, version] of AI_VERSIONS) {
    const install = after(last, () => installForAi(which, version));
    installed.set(which, install);
    last = install;
  }
}

async function installForAi(which: string, version: (range: string) => string): Promise<string> {
  const cwd = project(which.replace(' ', '-'), ['@msg/ai', '@msg/client', '@msg/server']);
  const sdk = ['ai', '@ai-sdk/react'].map(name => `${name}@${version(PEERS_OF_AI?.[name] ?? '')}`);
  const words = [...sdk, 'react@19', '@types/react@19', '--prefer-offline=false', '--loglevel=error'];
  await done(`npm install ${words.join(' ')}`, cwd);
  return cwd;
}

/** The folder of an install that `beginInstalls` has begun. */
const folderOf = (name: string): Promise<string> =>
  installed.get(name) ?? Promise.reject(new Error(`${name} is not installed`));

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'msg-pack-'));
  const packed = new ShellProcess(`npm run --silent pack -- ${join(home, 'tarballs')}`, { cwd: ROOT });
  await packed.succeeded();
  const files = packed.stdout.trim().split('\n');
  tarballs = new Map(NAMES.map((name, index) => [name, files[index] ?? '']));
  beginInstalls();
}, 120_000);
afterAll(async () => {
  await Promise.allSettled([...installed.values(), ...nodes.values()]);
  rmSync(home, { recursive: true, force: true });
}, 240_000);

/** A new folder with the packages as its dependencies: what they need of each other comes from the tarballs too. */
function project(folder: string, names: readonly string[]): string {
  const cwd = join(home, folder);
  mkdirSync(cwd);
  const addressOf = (name: string): string => `file:${tarballs.get(name)}`;
  const overrides = NAMES.filter(name => !names.includes(name)).map(name => [name, addressOf(name)]);
  const manifest = {
    private: true,
    dependencies: Object.fromEntries(names.map(name => [name, addressOf(name)])),
    overrides: Object.fromEntries(overrides),
  };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
  const all = NAMES.map(name => `  "${name}": "${addressOf(name)}"\n`);
  writeFileSync(join(cwd, 'pnpm-workspace.yaml'), `overrides:\n${all.join('')}`);
  return cwd;
}

/** Of npm only what is looked at: neither known holes nor who asks for money. */
const QUIET_NPM = { npm_config_audit: 'false', npm_config_fund: 'false' };

async function done(command: string, cwd: string): Promise<ShellProcess> {
  const child = new ShellProcess(command, { cwd, env: { PATH, ...QUIET_NPM } });
  await child.succeeded();
  return child;
}

/** The console is there with every file that its page names. */
async function servesConsole(port: number): Promise<void> {
  const base = `http://127.0.0.1:${port}/console/`;
  const page = await (await fetch(base)).text();
  const files = [...page.matchAll(/assets\/[\w.-]+/g)].map(([file]) => file);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect((await fetch(base + file)).status).toBe(200);
}

/** Starts `msg serve`, waits until it answers, looks at it and ends it. */
async function serves(
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  look: (host: string) => Promise<void> = async () => {},
): Promise<void> {
  const port = await freePort();
  const command = `npx --no-install msg serve --addr 127.0.0.1:${port}`;
  const server = new ShellProcess(command, { cwd, env: { PATH, ...env } });
  try {
    await server.printed('stderr', new RegExp(`127.0.0.1:${port}.*\n`));
    const health = await fetch(`http://127.0.0.1:${port}/healthz`);
    expect([health.status, await health.text()]).toEqual([200, 'ok']);
    await servesConsole(port);
    await look(`127.0.0.1:${port}`);
  } finally {
    await server.stop();
  }
}

/** A row that is committed after `msg outbox migrate` is published by `msg serve`. */
async function publishesFromDatabase(cwd: string): Promise<void> {
  const postgres = await PostgresServer.start();
  try {
    const env = {
      MSG_CONFIG: join(cwd, 'msg.yaml'),
      MSG_OUTBOX_POSTGRES_URL: `postgres://admin:${postgres.password}@127.0.0.1:${postgres.port}/shop`,
    };
    writeFileSync(env.MSG_CONFIG, 'outbox: { open_channels: auto }');
    const migrated = new ShellProcess('npx --no-install msg outbox migrate', { cwd, env: { PATH, ...env } });
    await migrated.succeeded();
    postgres.sql(`SELECT msg.publish('public:shop.packed', '{"n": 1}'::jsonb)`);
    await serves(cwd, env, host =>
      eventually('the row is published', async () => {
        const figures = await (await fetch(`http://${host}/metrics`)).text();
        return /^msg_outbox_published_total 1$/m.test(figures);
      }),
    );
    expect(postgres.sql('SELECT count(*) FROM msg.outbox')).toContain('0');
  } finally {
    await postgres.stop();
  }
}

/** The version in the manifest and in the reply to `connect`. */
async function versionsOf(host: string): Promise<readonly unknown[]> {
  const manifest = (await (await fetch(`http://${host}/manifest`)).json()) as {
    payload: { version: string };
  };
  const client = await RawClient.open(`ws://${host}/connection/websocket`);
  const { connect } = await client.request({ connect: {} });
  client.websocket.terminate();
  return [manifest.payload.version, connect?.version];
}

const WRAPPER = `import { MsgClient } from '@msg/client'; import { isPrivate } from '@msg/client/channels';
import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
const same = require('@msg/client').MsgClient.name === MsgClient.name && require('@msg/client/scopes').inspectScopes;
console.log(isPrivate('private:a.b.c'), typeof same);
`;

const TYPED = `import { MsgClient, type TypedSubscription } from '@msg/client';
import { inspectScopes } from '@msg/client/scopes';
declare const client: MsgClient;
const room: TypedSubscription<{ n: number }> = client.typedSubscribe<{ n: number }>('public:a.b');
room.on('publication', ({ data }) => data.n.toFixed());
// @ts-expect-error the schema has no such member
room.on('publication', ({ data }) => data.m);
inspectScopes('')?.scopes[0]?.deny;
`;

/** What a program needs of the service, from the one package that it declares. */
const PROGRAM = `import { type Clock, type Credentials, isMsgError, type JsonValue, type Logger, Msg, MsgError, type Random } from '@msg/server';
const lines: string[] = [];
const write = (fields: object, text: string): void => void lines.push(text);
const logger: Logger = { info: write, warn: write, error: write };
export const drawn = (clock: Clock, random: Random): unknown[] => [clock.now(), random.bytes(2)];
await using msg = await Msg.start({ logger, listen: { port: 0 } });
await msg.channels.openPublic('public:app.news');
const payload: JsonValue = { hello: ['world', null] };
const { offset } = await msg.publish('public:app.news', payload);
const scopes = [{ pattern: 'private:app.**', verbs: ['subscribe'] }];
const credentials: Credentials = await msg.tokens.issueAccess({ subject: 'ann', scopes });
const error: unknown = await msg.publish('public:app.other', 'x').catch((cause: unknown) => cause);
const code = isMsgError(error) ? error.code : undefined;
console.log(offset, credentials.name === '', code, error instanceof MsgError);
`;

/** The browser wrapper is there for \`import\` and for \`require\`, its parts without the stock client. */
async function wrapperWorks(cwd: string): Promise<void> {
  writeFileSync(join(cwd, 'wrapper.mjs'), WRAPPER);
  expect((await done(`"${process.execPath}" wrapper.mjs`, cwd)).stdout).toBe('true function\n');
  for (const kind of ['mts', 'cts']) writeFileSync(join(cwd, `typed.${kind}`), TYPED);
  const tsc = resolve(ROOT, 'node_modules/typescript/bin/tsc');
  const options = '--noEmit --strict --skipLibCheck --module node16 --types ""';
  await done(`"${process.execPath}" "${tsc}" ${options} typed.mts typed.cts`, cwd);
}

describe('installed with npm into an empty folder', () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await folderOf('npm');
  }, 120_000);

  it('the packages depend on no tool of development', () => {
    const installed = readdirSync(join(cwd, 'node_modules'));
    for (const tool of ['typescript', 'vitest', 'node', '@biomejs']) expect(installed).not.toContain(tool);
  });

  it.each(FOLDERS)('%s is complete', folder => {
    const manifest = readManifest(ROOT, folder);
    const installed = join(cwd, 'node_modules', manifest.name);
    const { repository: address } = readManifest(ROOT, '.');
    expect(readManifest(cwd, join('node_modules', manifest.name))).toMatchObject({
      license: 'Apache-2.0',
      keywords: expect.arrayContaining([expect.any(String)]),
      homepage: `${address}/tree/main/${folder}#readme`,
      bugs: { url: `${address}/issues` },
      repository: { type: 'git', url: `git+${address}.git`, directory: folder },
    });
    expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toContain('Apache License');
    const page = readFileSync(join(installed, 'README.md'), 'utf8');
    const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    expect(links.filter(target => !/^(https:|#)/.test(target))).toEqual([]);
    expect(page).not.toContain('<!--');
    expect(readdirSync(installed)).not.toContain('src');
    expect(globSync('**/*.{map,tsbuildinfo}', { cwd: installed })).toEqual([]);
    const scripts = globSync('**/*.js', { cwd: installed });
    const mapped = scripts.filter(path =>
      readFileSync(join(installed, path), 'utf8').includes('sourceMappingURL='),
    );
    expect(mapped).toEqual([]);
  });

  it('a browser’s package demands no version of Node.js, and neither does what it depends on', () => {
    for (const name of ['@msg/client', '@msg/core', '@msg/foundation', 'centrifuge'])
      expect(readManifest(cwd, join('node_modules', name))).not.toHaveProperty('engines');
  });

  it('the wrapper is there for both kinds of modules, with its types', () => wrapperWorks(cwd), 60_000);

  it('the programs start', async () => {
    const generator = await done('npx --no-install msg-gen --version', cwd);
    expect(generator.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const { version } = readManifest(ROOT, 'packages/dash');
    expect((await done('npx --no-install dashdoc --version', cwd)).stdout).toBe(`version ${version}\n`);
    // The end of input ends the tool server; its schemas and skills are in the package.
    const ask = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dash_get_manifest","arguments":{}}}`;
    const tools = await done(`echo '${ask}' | npx --no-install dashdoc mcp`, cwd);
    const { structuredContent: manifest } = JSON.parse(tools.stdout).result;
    expect([manifest.itemTypes.length, manifest.skills.length]).toEqual([25, 14]);
  }, 60_000);

  it('the service says the version of its package: by command, in the manifest and to clients', async () => {
    const { version } = readManifest(ROOT, 'packages/server');
    expect((await done('npx --no-install msg --version', cwd)).stdout).toBe(`version ${version}\n`);
    await serves(cwd, {}, async host => expect(await versionsOf(host)).toEqual([version, version]));
    const types = readFileSync(join(cwd, 'node_modules/@msg/server/dist/config/version.d.ts'), 'utf8');
    expect(types).toContain(`VERSION = "${version}"`);
  }, 60_000);
});

describe('the server alone', () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await folderOf('server');
  }, 120_000);

  it('takes at most 22 MB', () => {
    const sizes = globSync('node_modules/**', { cwd }).map(path => lstatSync(join(cwd, path)));
    const bytes = sizes.filter(file => file.isFile()).reduce((sum, { size }) => sum + size, 0);
    expect(bytes).toBeGreaterThan(5e6);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  it.each(NODE_VERSIONS)(
    'serves with two threads from its built output, under Node.js %s',
    async version => {
      const port = await freePort();
      const command = `"${await nodes.get(version)}" node_modules/@msg/server/bin/msg.js serve --addr 127.0.0.1:${port} --threads 2`;
      const server = new ShellProcess(command, { cwd, env: { PATH } });
      try {
        await server.printed('stderr', new RegExp(`127.0.0.1:${port}.*\n`));
        await expectTwoThreads(port, server.stderr);
      } finally {
        await server.stop();
      }
    },
    180_000,
  );

  it('has no package of its optional peers: an outbox that is not used costs none', () => {
    const { packages } = JSON.parse(readFileSync(join(cwd, 'node_modules/.package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly peer?: boolean }>>;
    };
    const installed = Object.keys(packages);
    expect(installed).toContain('node_modules/@msg/engine');
    expect(installed.filter(path => packages[path]?.peer === true)).toEqual([]);
    expect(
      installed.filter(path => /(@msg\/postgres|node_modules\/postgres|drizzle-orm)$/.test(path)),
    ).toEqual([]);
  });

  it('names the packages of an outbox that it lacks, and runs with them', async () => {
    const env = { MSG_OUTBOX_POSTGRES_URL: 'postgres://app:hidden@127.0.0.1:9/shop' };
    const failed = new ShellProcess('npx --no-install msg serve --addr 127.0.0.1:0', {
      cwd,
      env: { PATH, ...env },
    });
    await expect(failed.succeeded()).rejects.toThrow('exit code 1');
    expect(failed.stderr).toMatch(/npm install @msg\/postgres postgres$/m);
    expect(failed.stderr).not.toContain('hidden');
    const program = project('outbox', ['@msg/server', '@msg/postgres']); // its tarball stands for the registry
    await done('npm install postgres --omit=dev --loglevel=error', program);
    await publishesFromDatabase(program);
  }, 120_000);

  it('names the packages of traces that it lacks, and runs with them', async () => {
    expect(existsSync(join(cwd, 'node_modules/@opentelemetry/sdk-trace'))).toBe(false);
    const env = { MSG_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const failed = new ShellProcess('npx --no-install msg serve --addr 127.0.0.1:0', {
      cwd,
      env: { PATH, ...env },
    });
    await expect(failed.succeeded()).rejects.toThrow('exit code 1');
    const [line = ''] = /npm install @opentelemetry.*$/m.exec(failed.stderr) ?? [];
    expect(failed.stderr).toContain('MSG_INVALID_ARGUMENT');
    await done(`${line} --loglevel=error`, cwd);
    await serves(cwd, env);
  }, 120_000);
});

describe('installed with npm in the linked layout, where a program sees only what it declares', () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await folderOf('linked');
  }, 120_000);

  it('a program compiles and runs with `@msg/server` alone', async () => {
    expect(readdirSync(join(cwd, 'node_modules/@msg'))).toEqual(['server']);
    writeFileSync(join(cwd, 'program.mts'), PROGRAM);
    const tsc = resolve(ROOT, 'node_modules/typescript/bin/tsc');
    const types = `--types node --typeRoots "${resolve(ROOT, 'node_modules/@types')}"`;
    const options = `--strict --module nodenext --target es2022 ${types} --outDir built`;
    await done(`"${process.execPath}" "${tsc}" ${options} program.mts`, cwd);
    expect((await done(`"${process.execPath}" built/program.mjs`, cwd)).stdout).toBe(
      '1 true MSG_CHANNEL_NOT_FOUND true\n',
    );
  }, 60_000);
});

describe('installed with pnpm, where a package sees only what it declares', () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await folderOf('pnpm');
  }, 120_000);

  it('the layout is the isolated one', () => {
    const folder = join(cwd, 'node_modules');
    const installed = readdirSync(folder)
      .filter(name => !name.startsWith('.'))
      .flatMap(name =>
        name.startsWith('@') ? readdirSync(join(folder, name)).map(part => `${name}/${part}`) : [name],
      );
    expect(installed.sort()).toEqual(NAMES.toSorted());
  });

  it('the wrapper and the service run', async () => {
    await wrapperWorks(cwd);
    await serves(cwd);
  }, 60_000);
});

describe('docs/ai.md holds where nothing but the packages and the AI SDK is installed', () => {
  it.each(AI_VERSIONS)(
    'with %s version that @msg/ai takes',
    async which => {
      const cwd = await folderOf(which);
      const { version } = readManifest(cwd, 'node_modules/ai');
      expect(version === PEERS_OF_AI?.['ai']?.slice(1)).toBe(which === 'the lowest');
      const typed = await writeAiPage(cwd);
      expect((await done('bash page.sh', cwd)).stdout).toMatch(/the page holds\n$/);
      const tsc = resolve(ROOT, 'node_modules/typescript/bin/tsc');
      const options =
        '--noEmit --strict --skipLibCheck --module node20 --lib es2024,dom,esnext.disposable --types ""';
      await done(`"${process.execPath}" "${tsc}" ${options} ${typed.join(' ')}`, cwd);
    },
    180_000,
  );
});
