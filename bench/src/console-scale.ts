import { createRpcClient, type RpcClient } from '@msg/core';
import { Browser } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import type { Page } from 'playwright-core';
import { channelName } from './channels.ts';
import { numericOptions } from './comparison.ts';
import { walkChannels } from './console-journey.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { CHANNEL, startMsgRpc } from './servers/msg-rpc.ts';

const DEFAULTS = { channels: 100_000, connections: 50_000, seconds: 600, nodes: 3 };
const LOAD = new URL('./load/client.ts', import.meta.url);
/** Channels that are opened at once. */
const AT_ONCE = 100;
/** Publications of a batch, and its period: 2,000 a second. */
const BATCH = { size: 100, everyMs: 50 };
/** Channels that the connections are subscribed to. */
const FOLLOWED = 100;
const PAGES = [
  ['channels', 'ListChannels'],
  ['channels?sort=subscribers&order=down', 'ListChannels'],
  ['channels?counts=on&size=200', 'ListChannels'],
  ['connections?sort=queue_bytes&order=down', 'ListConnections'],
  ['connections?size=200', 'ListConnections'],
  ['users', 'ListUsers'],
  ['users?size=200', 'ListUsers'],
  ['', 'ListNodes'],
] as const;
const MAX = { elements: 1500, bytes: 64_000, rows: 500, heapBytes: 5_000_000 };

type Node = Awaited<ReturnType<typeof startMsgRpc>>;

/** A service of one node, or of several that share a Redis: a process has no more sockets than it may open files. */
class Scaled {
  readonly token: string;
  /** The first node. */
  readonly url: string;
  readonly rpc: RpcClient;
  readonly #nodes: readonly Node[];
  readonly #store: RedisServer | undefined;
  readonly #loads: PinnedProcess[] = [];

  private constructor(nodes: readonly [Node, ...Node[]], store: RedisServer | undefined) {
    const [{ server, token }] = nodes;
    this.token = token;
    this.url = `http://127.0.0.1:${server.port}`;
    this.rpc = createRpcClient({ server: this.url, token, fetch });
    this.#nodes = nodes;
    this.#store = store;
  }

  static async start(count: number): Promise<Scaled> {
    const store = count > 1 ? await RedisServer.start() : undefined;
    const args = ['--console', 'on', ...(store === undefined ? [] : ['--redis-addr', store.address])];
    // The first node makes the keys that the others find.
    const nodes: [Node, ...Node[]] = [await startMsgRpc([], { args })];
    while (nodes.length < count) nodes.push(await startMsgRpc([], { args }));
    return new Scaled(nodes, store);
  }

  /** Opens so many connections in all, each with a subscription, and keeps them. */
  async connect(count: number): Promise<void> {
    const subscribing = { encoding: 'json', channels: FOLLOWED, delta: false } as const;
    for (let index = 0; index < FOLLOWED; index++)
      await this.rpc.call('OpenPublic', { name: channelName(index), ttl_seconds: 86_400 });
    const each = Math.ceil(count / this.#nodes.length);
    await Promise.all(
      this.#nodes.map(async ({ server: { port } }, index) => {
        const load = await PinnedProcess.start(LOAD, LOAD_CORE);
        this.#loads.push(load);
        const share = Math.min(each, count - index * each);
        await load.ask({ kind: 'open', port, count: share, concurrency: 32, subscribing, stamped: false });
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#loads, ...this.#nodes.map(({ server }) => server)].map(part => part.stop()));
    await this.#store?.stop();
  }
}

/** The pages of a console with so many channels and connections, and a long tail at full rate, in a browser. */
export async function run(args: string[]): Promise<void> {
  const { channels, connections, seconds, nodes } = numericOptions(args, DEFAULTS);
  const service = await Scaled.start(nodes);
  const browser = await Browser.start();
  const { url, rpc, token } = service;
  try {
    await openChannels(rpc, channels);
    await service.connect(connections);
    const page = await browser.page();
    await signIn(page, url, token);
    console.log(`pages of ${channels} channels and ${connections} connections on ${nodes} nodes`);
    for (const [path, method] of PAGES) await measurePage(browser, `${url}/console/${path}`, method);
    await walkChannels(page, `${url}/console`, channels);
    console.log(`  ${channels} channels: searched, filtered, sorted, paged, shared, and back`);
    const { total } = await rpc.call('ListConnections', { limit: 1 });
    // The page's own feed is a connection, too.
    if (total < connections) throw new Error(`${total} of ${connections} connections are there`);
    await measureTail(page, `${url}/console/channels/${encodeURIComponent(CHANNEL)}?tab=live`, rpc, seconds);
  } finally {
    await browser.stop();
    await service.stop();
  }
}

async function openChannels(rpc: RpcClient, count: number): Promise<void> {
  for (let at = 0; at < count; at += AT_ONCE) {
    const names = Array.from(
      { length: Math.min(AT_ONCE, count - at) },
      (_, index) => `public:bench.scale.c${at + index}`,
    );
    await Promise.all(names.map(name => rpc.call('OpenPublic', { name, ttl_seconds: 86_400 })));
  }
}

async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/console/`);
  await page.locator('#token').fill(token);
  await page.keyboard.press('Enter');
  await page.locator('#content h1').first().waitFor();
}

/** Elements of a page once its rows are there, and bytes of the answer that they came in. */
async function measurePage(browser: Browser, address: string, method: string): Promise<void> {
  // A tab of its own: no answer to another page comes in between.
  const page = await browser.page();
  const answer = page.waitForResponse(response => response.url().endsWith(`/${method}`));
  await page.goto(address);
  const bytes = (await (await answer).body()).length;
  await page.locator('#content tbody tr, #content .empty').first().waitFor();
  const elements = Number(await page.evaluate('document.querySelectorAll("*").length'));
  await page.close();
  const path = new URL(address);
  console.log(`  ${path.pathname}${path.search}: ${elements} elements, ${bytes} bytes of rows`);
  requireAtMost('elements', elements, MAX.elements);
  requireAtMost('bytes of rows', bytes, MAX.bytes);
}

/** Rows of a tail at full rate, and by how much the heap of the page grows. */
async function measureTail(page: Page, address: string, rpc: RpcClient, seconds: number): Promise<void> {
  await page.goto(address);
  await page.getByRole('combobox', { name: 'Publications per second' }).selectOption('100');
  const ends = performance.now() + seconds * 1000;
  await publish(rpc, performance.now() + Math.min(10_000, seconds * 500));
  const before = await heapOf(page);
  await publish(rpc, ends);
  const grown = (await heapOf(page)) - before;
  const rows = await page.locator('section[aria-label="Live publications"] tbody tr').count();
  const numbers = await page.locator('[data-tail-numbers]').textContent();
  console.log(
    `  a tail of ${seconds} s: ${numbers}; ${rows} rows, heap grown by ${(grown / 1e6).toFixed(2)} MB`,
  );
  requireAtMost('rows', rows, MAX.rows);
  requireAtMost('bytes of heap', grown, MAX.heapBytes);
}

async function publish(rpc: RpcClient, until: number): Promise<void> {
  const items = Array.from({ length: BATCH.size }, (_, n) => ({ name: CHANNEL, json: { n } }));
  while (performance.now() < until) {
    const next = new Promise(resolve => setTimeout(resolve, BATCH.everyMs));
    await rpc.call('PublishMany', { items });
    await next;
  }
}

/** Bytes of the page's heap after a collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

function requireAtMost(what: string, value: number, most: number): void {
  if (value > most) throw new Error(`${value} ${what}, at most ${most}`);
}
