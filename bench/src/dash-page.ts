// npm run bench -- dash-page [--runs 9]: the page of a dashboard of 200 nodes and 20 charts. First contentful paint in
// Chromium beside a static file of the same bytes; work of the server beside resolving and drawing alone; the longest
// stall while 100 charts are drawn beside a page without charts. One line each with its bound (page and review 1.7).
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FileStore, openDocumentEngine } from '@msg/dash';
import { Charts, computedSizes, HttpServer } from '@msg/dash/internal';
import { systemClock } from '@msg/foundation/clock';
import { Browser, closeServer, eventually } from '@msg/testkit';
import { DashdocProcess } from '../../packages/dash/test/web/dashdoc-process.ts';
import { manyNodes } from '../../packages/dash/test/web/many-nodes.ts';
import { measureInTurns } from './comparison.ts';
import { median, spread } from './statistics.ts';

const engine = openDocumentEngine();
const ID = 'many-nodes';

/** Runs the three measurements. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { runs: { type: 'string', default: '9' } } });
  const runs = Number(values.runs);
  await paints(runs);
  await work(runs);
  await stalls(runs);
}

/** A served document of so many nodes and charts, for as long as `use` runs. */
async function served(
  size: { nodes: number; charts: number },
  use: (url: string) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'bench-page-'));
  await writeFile(join(root, `${ID}.json`), JSON.stringify(manyNodes(size)));
  const http = await HttpServer.listen({
    served: { store: new FileStore({ root }) },
    engine,
    host: '127.0.0.1',
    port: 0,
  });
  try {
    await use(`${http.url}/d/${ID}`);
  } finally {
    await http.stop();
    await rm(root, { recursive: true });
  }
}

async function paints(runs: number): Promise<void> {
  await served({ nodes: 200, charts: 20 }, async url => {
    await fetch(`${url}?render=all`); // warm
    const copy = await staticCopy(url);
    const browser = await Browser.start();
    const [page, file]: number[][] = [[], []];
    for (let round = 0; round < runs; round++) {
      page?.push(await firstPaint(browser, url));
      file?.push(await firstPaint(browser, copy.url));
    }
    await browser.stop();
    await closeServer(copy.server);
    const ratio = median(page ?? []) / median(file ?? []);
    console.log(`first contentful paint, 200 nodes, 20 charts: ${spread(page ?? [], 0)} ms, aim 300`);
    console.log(`  static file of the same bytes: ${spread(file ?? [], 0)} ms`);
    console.log(`  ratio ${ratio.toFixed(2)} (bound 1.50)`);
  });
}

/** The same bytes from a server that does nothing else. */
async function staticCopy(url: string): Promise<{ url: string; server: ReturnType<typeof createServer> }> {
  const files = new Map<string, { headers: Record<string, string>; bytes: Buffer }>();
  const take = async (path: string): Promise<string> => {
    const answer = await fetch(new URL(path, url));
    const bytes = Buffer.from(await answer.arrayBuffer());
    const headers = Object.fromEntries(
      ['content-type', 'content-security-policy', 'cache-control'].map(name => [
        name,
        answer.headers.get(name) ?? '',
      ]),
    );
    files.set(path, { headers, bytes });
    return bytes.toString();
  };
  const html = await take(new URL(url).pathname);
  for (const [, path = ''] of html.matchAll(/(?:href|src)="(\/static\/page[^"]+)"/g)) await take(path);
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const file = files.get(incoming.url ?? '');
    outgoing.writeHead(file === undefined ? 404 : 200, file?.headers).end(file?.bytes);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${new URL(url).pathname}`, server };
}

async function firstPaint(browser: Browser, url: string): Promise<number> {
  const page = await browser.page();
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(url);
  const painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0";
  let paint = 0;
  await eventually('the first paint', async () => {
    paint = Number(await page.evaluate(painted));
    return paint > 0;
  });
  await page.close();
  return paint;
}

async function work(runs: number): Promise<void> {
  const document = manyNodes({ nodes: 200, charts: 20 });
  await served({ nodes: 200, charts: 20 }, async url => {
    const charts = new Charts(systemClock);
    const alone = async (round: number): Promise<void> => {
      const overrides = [{ address: 'run', value: `alone ${round}` }];
      const { root, connections = [] } = engine.resolve(document, { overrides });
      const rows = (connections[0]?.config?.['rows'] ?? []) as never[];
      const sizes = [...computedSizes(root)].map(([id, size]) => ({ id, size, config: configOf(root, id) }));
      const drawn = sizes
        .filter(({ config }) => 'kind' in config)
        .map(({ id, size, config }) => charts.draw({ nodeId: id, config, rows, ...size }));
      await Promise.all(drawn);
    };
    const whole = async (round: number): Promise<void> => {
      const answer = await fetch(`${url}?render=all&run=${round}`);
      await answer.arrayBuffer();
    };
    await whole(-1);
    await alone(-1);
    const [page, base]: number[][] = [[], []];
    for (let round = 0; round < runs; round++) {
      page?.push(await timed(() => whole(round)));
      base?.push(await timed(() => alone(round)));
    }
    await charts.close();
    const ratio = median(page ?? []) / median(base ?? []);
    console.log(
      `work of a page whose charts are all drawn anew: ${spread(page ?? [], 1)} ms; resolving and drawing alone: ${spread(base ?? [], 1)} ms`,
    );
    console.log(`  ratio ${ratio.toFixed(2)} (bound 1.50)`);
  });
}

type Nodes = ReturnType<typeof engine.resolve>['root'];

function configOf(node: Nodes, id: string): NonNullable<Nodes['config']> {
  if (node.id === id) return node.config ?? {};
  for (const child of node.children ?? []) {
    const config = configOf(child, id);
    if (Object.keys(config).length > 0) return config;
  }
  return {};
}

async function timed(once: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await once();
  return performance.now() - start;
}

/** Both sides take turns on one `dashdoc serve` in a process of its own: the load stalls nothing that is measured. */
async function stalls(runs: number): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'bench-page-'));
  for (const charts of [0, 100]) {
    const document = manyNodes({ nodes: 202, charts });
    const named = { ...document, manifest: { formatVersion: '1.0.0', id: `charts-${charts}` } };
    await writeFile(join(root, `charts-${charts}.json`), JSON.stringify(named));
  }
  const server = await DashdocProcess.serve(root);
  try {
    const pairs = await measureInTurns(
      runs,
      () => longestStall(server, 'charts-100'),
      () => longestStall(server, 'charts-0'),
    );
    const [drawing, without] = [pairs.map(({ engine: each }) => each), pairs.map(({ baseline }) => baseline)];
    console.log(
      `longest stall while 100 charts are drawn: ${spread(drawing, 1)} ms; without charts: ${spread(without, 1)} ms`,
    );
    console.log(`  ratio ${(median(drawing) / median(without)).toFixed(2)} (bound 2.00)`);
  } finally {
    await server.stop();
    await rm(root, { recursive: true });
  }
}

let asked = 0;

/** Milliseconds for which the main thread of the server answered nothing while it made one page, its charts anew. */
async function longestStall(server: DashdocProcess, id: string): Promise<number> {
  const query = `run=${asked++}`;
  await server.meter();
  await fetch(`${server.url}/d/${id}?${query}`).then(answer => answer.arrayBuffer());
  await fetch(`${server.url}/api/d/${id}/items?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }).then(answer => answer.arrayBuffer());
  const { stall } = await server.meter();
  return stall;
}
