// The console without its files, or with those of another version: it says how to get them, and the service runs (console 10).
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FOLDER } from '@msg/console';
import { eventually, type MsgServer } from '@msg/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

const REMEDY = 'npm run build:pages';
const PAGES = ['/console/', '/console/channels/public%3Ashop.news', '/console/assets/console.js'];

/** A server whose package `@msg/console` has its files in another folder; null: there is no such package. */
async function serverWith(web: string | null): Promise<MsgServer> {
  const file = join(await temporaryFolder(), 'console.mjs');
  const found =
    web === null
      ? `throw Object.assign(new Error("Cannot find package '@msg/console'"), { code: 'ERR_MODULE_NOT_FOUND' })`
      : `return { url: ${JSON.stringify(moduleOf(web))}, format: 'module', shortCircuit: true }`;
  const text = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== '@msg/console') return next(specifier, context);
    ${found};
  },
});
`;
  await writeFile(file, text);
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` };
  const server = await startServer({ args: ['--console', 'on'], env });
  onTestFinished(() => server.stop());
  return server;
}

function moduleOf(web: string): string {
  const source = `export const FOLDER = new URL(${JSON.stringify(`${pathToFileURL(web).href}/`)});`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

/** The built files in a folder of their own. */
async function copied(): Promise<string> {
  const web = join(await temporaryFolder(), 'web');
  await cp(fileURLToPath(FOLDER), web, { recursive: true });
  return web;
}

async function get({ url }: MsgServer, path: string) {
  const answer = await fetch(url + path);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** What a page of the console says, for each of the paths. */
async function expectUnavailable(server: MsgServer, problem: string): Promise<void> {
  for (const path of PAGES) {
    const { status, headers, text } = await get(server, path);
    expect([path, status, headers.get('cache-control')]).toEqual([path, 503, 'no-store']);
    expect(text).toContain(problem);
    expect(text).toContain(REMEDY);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  }
}

/** Everything but the pages: readiness, the RPC, and the session of somebody who is signed in. */
async function expectServing(server: MsgServer): Promise<void> {
  expect((await get(server, '/readyz')).status).toBe(200);
  const rpc = rpcOf(server.url, server.token);
  expect((await rpc('OpenPublic', { name: 'public:shop.news' })).status).toBe(200);
  expect((await rpc('Publish', { name: 'public:shop.news', json: { n: 1 } })).status).toBe(200);
  expect((await get(server, '/console/session')).status).toBe(200);
}

describe('a console', () => {
  it.each<[string, string, () => Promise<string | null>]>([
    ['whose package is not installed', 'missing', async () => null],
    ['whose files were not built', 'missing', async () => join(await temporaryFolder(), 'web')],
    [
      'with the files of another version',
      'another version',
      async () => {
        const web = await copied();
        const list = join(web, 'list.json');
        await writeFile(
          list,
          (await readFile(list, 'utf8')).replace(/"version": ?"[^"]*"/, '"version":"0.0.1"'),
        );
        return web;
      },
    ],
    [
      'whose list of files is half written',
      'missing',
      async () => {
        const web = await copied();
        const list = join(web, 'list.json');
        await writeFile(list, (await readFile(list, 'utf8')).slice(0, 50));
        return web;
      },
    ],
  ])('%s answers 503 with the command that mends it, and the service runs', async (_, problem, folder) => {
    const server = await serverWith(await folder());
    await expectUnavailable(server, problem);
    await expectServing(server);
    await eventually('the log says it too', () => server.output().stderr.includes(REMEDY));
  });

  it('is there as soon as its files are, without a restart', async () => {
    const web = join(await temporaryFolder(), 'web');
    const server = await serverWith(web);
    await expectUnavailable(server, 'missing');
    await cp(fileURLToPath(FOLDER), web, { recursive: true });
    const shell = await get(server, '/console/');
    expect([shell.status, shell.text]).toEqual([200, expect.stringContaining('<base href="/console/">')]);
    const [name = ''] = /assets\/console-[\w-]+\.js/.exec(shell.text) ?? [];
    expect((await get(server, `/console/${name}`)).status).toBe(200);
  });

  it('whose files are removed while it runs says so, and serves those that come in their place', async () => {
    const web = await copied();
    const server = await serverWith(web);
    const [name = ''] = JSON.parse(await readFile(join(web, 'list.json'), 'utf8')).files.map(
      ({ path }: { readonly path: string }) => path,
    );
    for (const part of ['assets', 'index.html']) await rm(join(web, part), { recursive: true });
    for (const path of ['/console/', `/console/${name}`]) {
      const { status, text } = await get(server, path);
      expect([path, status, text]).toEqual([path, 503, expect.stringContaining(REMEDY)]);
    }
    await expectServing(server);
    await cp(fileURLToPath(FOLDER), web, { recursive: true });
    for (const path of ['/console/', `/console/${name}`]) expect((await get(server, path)).status).toBe(200);
  });
});
