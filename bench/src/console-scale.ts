import { createRpcClient, type RpcClient } from '@msg/core';
import { Browser } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { numericOptions } from './comparison.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { CHANNEL, startMsgRpc } from './servers/msg-rpc.ts';

const DEFAULTS = { channels: 100_000, connections: 50_000, seconds: 600 };
const LOAD = new URL('./load/client.ts', import.meta.url);
/** Channels that are opened at once. */
const AT_ONCE = 100;
/** Publications of a batch, and its period: 2,000 a second. */
const BATCH = { size: 100, everyMs: 50 };
const MAX = { elements: 1500, bytes: 64_000, rows: 500, heapBytes: 5_000_000 };

/** The pages of a console with so many channels and connections, and a long tail at full rate, in a browser. */
export async function run(args: string[]): Promise<void> {
  const { channels, connections, seconds } = numericOptions(args, DEFAULTS);
  const { server, token } = await startMsgRpc([], { args: ['--console', 'on'] });
  const load = await PinnedProcess.start(LOAD, LOAD_CORE);
  const browser = await Browser.start();
  try {
    const url = `http://127.0.0.1:${server.port}`;
    const rpc = createRpcClient({ server: url, token, fetch });
    await openChannels(rpc, channels);
    const subscribing = { encoding: 'json', channels: 1, channel: CHANNEL, delta: false } as const;
    await load.ask({
      kind: 'open',
      port: server.port,
      count: connections,
      concurrency: 64,
      subscribing,
      stamped: false,
    });
    const page = await browser.page();
    await signIn(page, url, token);
    console.log(`pages of ${channels} channels and ${connections} connections`);
    await measurePage(browser, `${url}/console/channels`, 'ListChannels');
    await measurePage(browser, `${url}/console/channels?sort=subscribers&order=down`, 'ListChannels');
    await measurePage(browser, `${url}/console/connections?sort=queue_bytes&order=down`, 'ListConnections');
    await measurePage(browser, `${url}/console/users`, 'ListUsers');
    await measurePage(browser, `${url}/console/channels?counts=on&size=200`, 'ListChannels');
    await measurePage(browser, `${url}/console/connections?size=100`, 'ListConnections');
    await measurePage(browser, `${url}/console/users?size=200`, 'ListUsers');
    await measurePage(browser, `${url}/console/`, 'ListNodes');
    await load.ask({ kind: 'reset' });
    await measureTail(page, `${url}/console/channels/${encodeURIComponent(CHANNEL)}?tab=live`, rpc, seconds);
  } finally {
    await browser.stop();
    await Promise.all([load.stop(), server.stop()]);
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
