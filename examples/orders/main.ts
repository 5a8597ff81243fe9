// Orders in PostgreSQL and a live page: the database, msg, the backend. See README.md.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createRpcClient } from '@msg/core';
import { connectPostgres, migrate } from '@msg/postgres';
import { closeServer, freePort } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import { build } from 'esbuild';
import postgres from 'postgres';
import { Backend } from './backend.ts';
import { Service } from './service.ts';
import { createTables } from './shop.ts';

const here = (name: string): string => join(import.meta.dirname, 'page', name);
const running: { stop(): Promise<unknown> }[] = [];

function keep<T extends { stop(): Promise<unknown> }>(part: T): T {
  running.push(part);
  return part;
}

/** What was started last goes first. */
async function stopAll(): Promise<void> {
  for (const part of running.splice(0).reverse()) await part.stop();
}

/** Address of the database: the one that is given, else a new one of a PostgreSQL on this machine. */
async function database(): Promise<string> {
  const given = process.env['DATABASE_URL'] ?? '';
  if (given !== '') return given;
  const server = keep(await PostgresServer.start());
  return `postgres://admin:${server.password}@127.0.0.1:${server.port}/shop`;
}

/** Makes the schema of the outbox, as a deployment does it once. */
async function makeOutbox(url: string): Promise<void> {
  const sql = await connectPostgres({ url });
  await migrate(sql);
  await sql.end({ timeout: 1 });
}

/** The page, bundled once: path → type and content. */
async function buildPage(): Promise<
  ReadonlyMap<string | undefined, readonly [type: string, content: string | Uint8Array]>
> {
  const { outputFiles } = await build({
    entryPoints: [here('main.ts'), here('style.css')],
    outdir: here(''),
    bundle: true,
    format: 'esm',
    write: false,
  });
  const content = (name: string) =>
    outputFiles.find(({ path }) => path.endsWith(name))?.contents ?? new Uint8Array();
  return new Map([
    ['/', ['text/html', await readFile(here('index.html'), 'utf8')]],
    ['/main.js', ['text/javascript', content('main.js')]],
    ['/style.css', ['text/css', content('style.css')]],
  ]);
}

async function start(): Promise<void> {
  const port = Number(process.env['PORT'] ?? 0) || (await freePort());
  const url = await database();
  await makeOutbox(url);
  const sql = postgres(url, { fetch_types: false, onnotice: () => undefined });
  keep({ stop: () => sql.end({ timeout: 1 }) });
  await createTables(sql);
  const service = keep(await Service.start(url));
  const msg = createRpcClient({ server: service.url, token: service.key, fetch });
  const endpoint = `${service.url.replace('http', 'ws')}/connection/websocket`;
  const backend = new Backend(sql, msg, endpoint);
  const files = await buildPage();
  const server = createServer((request, response) => {
    const file = files.get(request.url);
    if (file !== undefined) response.writeHead(200, { 'content-type': file[0] }).end(file[1]);
    else void backend.answer(request, response);
  });
  keep({ stop: () => closeServer(server) });
  await new Promise<void>(resolve => server.listen(port, resolve));
  console.log(`orders on http://localhost:${port}`);
}

try {
  await start();
  await new Promise(resolve => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
} catch (error) {
  console.error(`orders cannot start: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
await stopAll();
process.exit();
