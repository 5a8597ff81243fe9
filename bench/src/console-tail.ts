import type { RpcClient } from '@msg/core';
import type { Page } from 'playwright-core';
import { CHANNEL } from './servers/msg-rpc.ts';

/** Publications of a batch, and its period: 2,000 a second. */
const BATCH = { size: 100, everyMs: 50 };
/** Parts of the time. After each one the tail is paused, or the connection of its feed cut, for a while. */
const PARTS = 6;
const AWAY_MS = 3000;
const MAX = { rows: 500, heapBytes: 5_000_000 };
/** Deadline of what the page still has to tell, milliseconds: not a bound. */
const PATIENT_MS = 60_000;

interface Numbers {
  readonly shown: number;
  readonly skipped: number;
  /** Passed while the tail was paused. */
  readonly passed: number;
}

/**
 * A tail of so many seconds at full rate, paused and cut off again and again: rows, by how much the heap of the page grows,
 * and whether what the page tells is what was published, to the last publication.
 *
 * @param console - address of the console
 */
export async function measureTail(
  page: Page,
  console: string,
  rpc: RpcClient,
  seconds: number,
): Promise<void> {
  const way = await FeedWay.of(page);
  const away = (): Promise<void> => publish(rpc, performance.now() + AWAY_MS);
  await page.goto(`${console}/channels/${encodeURIComponent(CHANNEL)}?tab=live&rate=100`);
  await until('the tail begins', async () => {
    await publish(rpc, performance.now());
    return (await numbersOf(page)).shown > 0;
  });
  const offset = async (): Promise<number> => (await rpc.call('Position', { name: CHANNEL })).offset;
  // Rows fill up, and what is published so far is told.
  await publish(rpc, performance.now() + Math.min(10_000, seconds * 500));
  await rest();
  const [heap, begin, told] = [await heapOf(page), await offset(), sumOf(await numbersOf(page))];
  for (let part = 0; part < PARTS; part++) {
    await publish(rpc, performance.now() + (seconds * 1000) / PARTS);
    await (part % 2 === 0 ? pause(page, away) : way.cut(away));
  }
  const published = (await offset()) - begin;
  let numbers = await numbersOf(page);
  await until(`the page tells of ${published} publications`, async () => {
    numbers = await numbersOf(page);
    return sumOf(numbers) - told >= published;
  });
  await rest();
  numbers = await numbersOf(page);
  const grown = (await heapOf(page)) - heap;
  const rows = await page.locator('section[aria-label="Live publications"] tbody tr').count();
  globalThis.console.log(
    `  a tail of ${seconds} s: ${numbers.shown} shown, ${numbers.skipped} skipped, ${numbers.passed} passed while it was ` +
      `paused or cut off; ${sumOf(numbers) - told} told of ${published} published; ${rows} rows, heap grown by ` +
      `${(grown / 1e6).toFixed(2)} MB`,
  );
  if (sumOf(numbers) - told !== published)
    throw new Error(`the page tells of ${sumOf(numbers) - told} publications, ${published} were published`);
  requireAtMost('rows', rows, MAX.rows);
  requireAtMost('bytes of heap', grown, MAX.heapBytes);
}

export function requireAtMost(what: string, value: number, most: number): void {
  if (value > most) throw new Error(`${value} ${what}, at most ${most}`);
}

async function pause(page: Page, away: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Pause' }).click();
  await away();
  await page.getByRole('button', { name: 'Resume' }).click();
}

/** The way of the page's feed to the service, which can be cut. */
class FeedWay {
  #isCut = false;
  #sockets: { close(): Promise<void> }[] = [];

  static async of(page: Page): Promise<FeedWay> {
    const way = new FeedWay();
    await page.routeWebSocket(/\/connection\//, socket => {
      if (way.#isCut) return void socket.close();
      way.#sockets.push(socket, socket.connectToServer());
    });
    await page.route(/\/connection\//, route => (way.#isCut ? route.abort() : route.continue()));
    return way;
  }

  /** Cuts what is open, and lets nothing through for a while. */
  async cut(work: () => Promise<void>): Promise<void> {
    this.#isCut = true;
    await Promise.all(this.#sockets.map(socket => socket.close()));
    this.#sockets = [];
    await work();
    this.#isCut = false;
  }
}

const sumOf = ({ shown, skipped, passed }: Numbers): number => shown + skipped + passed;

async function numbersOf(page: Page): Promise<Numbers> {
  const text = (await page.locator('[data-tail-numbers]').textContent()) ?? '';
  const [shown = 0, skipped = 0, passed = 0] = Array.from(
    text.matchAll(/[\d,]+(?= (?:shown|skipped|passed))/g),
    ([digits]) => Number(digits.replaceAll(',', '')),
  );
  return { shown, skipped, passed };
}

/** At least one batch. */
async function publish(rpc: RpcClient, until: number): Promise<void> {
  const items = Array.from({ length: BATCH.size }, (_, n) => ({ name: CHANNEL, json: { n } }));
  do {
    const next = new Promise(resolve => setTimeout(resolve, BATCH.everyMs));
    await rpc.call('PublishMany', { items });
    await next;
  } while (performance.now() < until);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await new Promise(resolve => setTimeout(resolve, 200));
  }
}

/** Several batches of the tail, which come each quarter of a second. */
function rest(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 2000));
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
