import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, ShellProcess } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGES = [
  'foundation',
  'protocol',
  'redis',
  'engine',
  'core',
  'command-line',
  'server',
  'codegen',
  'client',
  'dash',
];

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'msg-pack-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function done(command: string, cwd: string): Promise<ShellProcess> {
  const child = new ShellProcess(command, { cwd });
  await child.succeeded();
  return child;
}

it('the packed packages install into an empty folder and serve there, without anything of development', async () => {
  const workspaces = PACKAGES.map(name => `-w packages/${name}`).join(' ');
  await done(`npm pack --silent --pack-destination ${home} ${workspaces}`, ROOT);
  const tarballs = readdirSync(home).filter(name => name.endsWith('.tgz'));
  expect(tarballs).toHaveLength(PACKAGES.length);

  const dependencies = Object.fromEntries(
    tarballs.map(name => [`@msg/${/^msg-([a-z-]+)-\d/.exec(name)?.[1]}`, `file:./${name}`]),
  );
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await done('npm install --loglevel=error', home);
  const installed = readdirSync(join(home, 'node_modules'));
  for (const tool of ['typescript', 'vitest', 'node', '@biomejs']) expect(installed).not.toContain(tool);
  for (const name of PACKAGES) {
    expect(readdirSync(join(home, 'node_modules/@msg', name))).not.toContain('src');
  }

  // The browser wrapper is there for `import` and for `require`, its parts without the stock client.
  const wrapper = [
    `import { MsgClient } from '@msg/client'; import { isPrivate } from '@msg/client/channels';`,
    `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    `const same = require('@msg/client').MsgClient.name === MsgClient.name && require('@msg/client/scopes').inspectScopes;`,
    `console.log(isPrivate('private:a.b.c'), typeof same);`,
  ];
  writeFileSync(join(home, 'wrapper.mjs'), wrapper.join('\n'));
  expect((await done(`"${process.execPath}" wrapper.mjs`, home)).stdout).toBe('true function\n');

  const typed = `import { MsgClient, type TypedSubscription } from '@msg/client';
import { inspectScopes } from '@msg/client/scopes';
declare const client: MsgClient;
const room: TypedSubscription<{ n: number }> = client.typedSubscribe<{ n: number }>('public:a.b');
room.on('publication', ({ data }) => data.n.toFixed());
// @ts-expect-error the schema has no such member
room.on('publication', ({ data }) => data.m);
inspectScopes('')?.scopes[0]?.deny;
`;
  for (const kind of ['mts', 'cts']) writeFileSync(join(home, `typed.${kind}`), typed);
  const tsc = resolve(ROOT, 'node_modules/typescript/bin/tsc');
  await done(
    `"${process.execPath}" "${tsc}" --noEmit --strict --skipLibCheck --module node16 --types "" typed.mts typed.cts`,
    home,
  );

  // The folder has no Node of its own: use the one that runs this.
  const port = await freePort();
  const path = `${resolve(process.execPath, '..')}:${process.env['PATH']}`;
  const server = new ShellProcess(`npx msg serve --addr 127.0.0.1:${port}`, {
    cwd: home,
    env: { PATH: path },
  });
  try {
    const generator = new ShellProcess('npx msg-gen --version', { cwd: home, env: { PATH: path } });
    await generator.succeeded();
    expect(generator.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    // The end of input ends the tool server; its schemas and skills are in the package.
    const ask = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dash_get_manifest","arguments":{}}}`;
    const tools = new ShellProcess(`echo '${ask}' | npx dashdoc mcp`, { cwd: home, env: { PATH: path } });
    await tools.succeeded();
    const { structuredContent: manifest } = JSON.parse(tools.stdout).result;
    expect([manifest.itemTypes.length, manifest.skills.length]).toEqual([25, 14]);
    await server.printed('stderr', new RegExp(`127.0.0.1:${port}`));
    const health = await fetch(`http://127.0.0.1:${port}/healthz`);
    expect([health.status, await health.text()]).toEqual([200, 'ok']);
  } finally {
    await server.stop();
  }
}, 120_000);
