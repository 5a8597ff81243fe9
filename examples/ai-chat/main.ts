// A chat with a model: two msg nodes on one Redis, a backend, a page. See README.md.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { createRpcClient } from '@msg/core';
import { closeServer, freePort, RoundRobinProxy, startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { build } from 'vite';
import { Backend } from './backend.ts';

const YAML = `channels:
  rules:
    - { pattern: "private:app.chat.**", append: true }
`;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

const running: { stop(): Promise<unknown> }[] = [];

function keep<T extends { stop(): Promise<unknown> }>(part: T): T {
  running.push(part);
  return part;
}

/** What was started last goes first. */
async function stopAll(): Promise<void> {
  for (const part of running.splice(0).reverse()) await part.stop();
}

/** The page, built once: path → type and content. */
async function buildPage(): Promise<
  ReadonlyMap<string, readonly [type: string, content: string | Uint8Array]>
> {
  const result = await build({
    root: join(import.meta.dirname, 'page'),
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['msg-source', 'module', 'browser', 'production'] },
    build: { write: false, target: 'esnext' },
  });
  const files = Array.isArray(result)
    ? result.flatMap(({ output }) => output)
    : 'output' in result
      ? result.output
      : [];
  return new Map(
    files.map(file => [
      `/${file.fileName === 'index.html' ? '' : file.fileName}`,
      [
        TYPES[extname(file.fileName)] ?? 'application/octet-stream',
        file.type === 'chunk' ? file.code : file.source,
      ],
    ]),
  );
}

async function start(): Promise<void> {
  const isSingle = process.argv.includes('--single');
  const port = Number(process.env['PORT'] ?? 0) || (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'ai-chat-'));
  keep({ stop: () => rm(folder, { recursive: true }) });
  const config = join(folder, 'msg.yaml');
  await writeFile(config, YAML);
  const store = isSingle ? [] : ['--redis-addr', keep(await RedisServer.start()).address];
  const args = ['--config', config, '--allowed-origin', `http://localhost:${port}`, ...store];
  const nodes = await Promise.all(Array.from({ length: isSingle ? 1 : 2 }, () => startMsg({ args })));
  for (const node of nodes) keep(node);
  const urls = nodes.map(({ url }) => url);
  const proxy = keep(await RoundRobinProxy.start(urls));
  proxy.probe('/readyz');
  const msg = createRpcClient({ server: urls, token: nodes[0]?.token ?? '', fetch });
  const backend = new Backend(msg, proxy.url);
  const files = await buildPage();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    if (file !== undefined) response.writeHead(200, { 'content-type': file[0] }).end(file[1]);
    else void backend.answer(request, response);
  });
  keep({ stop: () => closeServer(server) });
  await new Promise<void>(resolve => server.listen(port, resolve));
  for (const { url, pid } of nodes) console.log(`node ${url} is process ${pid}`);
  console.log(`ai-chat on http://localhost:${port}`);
}

try {
  await start();
  await new Promise(resolve => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
} catch (error) {
  console.error(`ai-chat cannot start: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
await stopAll();
process.exit();
