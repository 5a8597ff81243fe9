// examples/orders in Chromium: rows and publications in one transaction, and pages that miss nothing of them.
import { join } from 'node:path';
import { Browser, eventually, ShellProcess } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { State } from '../../examples/orders/model.ts';
import { axeFaults, equip, PageComplaints, sidewaysScroll } from '../support/page-visit.ts';
import { blocksOf, ROOT, readPage } from '../support/pages.ts';

const TEST_MS = 120_000;
const LIVE = '#connection.ok';

let example: ShellProcess;
let browser: Browser;
let address: string;
const pages: Page[] = [];

beforeAll(async () => {
  const start = blocksOf(readPage('examples/orders/README.md')).find(
    ({ language }) => language === 'sh',
  )?.text;
  example = new ShellProcess(`${start?.trim()} --silent`, {
    cwd: join(ROOT, 'examples/orders'),
    env: { PORT: '0', DATABASE_URL: undefined },
  });
  browser = await Browser.start();
  [, address = ''] = await example.printed('stdout', /orders on (http:\S+)/);
}, TEST_MS);
afterEach(async () => {
  await Promise.all(pages.splice(0).map(page => page.close()));
});
afterAll(async () => {
  await browser.stop();
  await example.stop();
});

/** A window that is live. */
async function open(): Promise<Page> {
  const page = await browser.page();
  pages.push(page);
  await page.goto(address);
  await page.waitForSelector(LIVE);
  return page;
}

/** Orders an item; answers the number of the order, or the refusal. */
async function order(page: Page, item: string): Promise<string> {
  const outcome = page.locator('#outcome');
  const before = await outcome.textContent();
  await page.getByRole('radio', { name: item }).check();
  await page.getByRole('button', { name: 'Place order' }).click();
  await eventually('the outcome', async () => (await outcome.textContent()) !== before);
  const text = (await outcome.textContent()) ?? '';
  return /^Order (\d+) is placed\.$/.exec(text)?.[1] ?? text;
}

/** What a window shows: number, item and step of each order. */
const shown = (page: Page): Promise<string[]> =>
  page
    .locator('#orders tbody tr')
    .evaluateAll(rows =>
      rows.map(row =>
        ['th', '.item', '.state'].map(part => row.querySelector(part)?.textContent ?? '').join(' '),
      ),
    );
const shows = (page: Page, row: string): Promise<void> =>
  eventually(`a window shows ${row}`, async () => (await shown(page)).includes(row));
const state = async (): Promise<State> => (await (await fetch(`${address}/api/state`)).json()) as State;
const processOfService = (): number => Number(/.*msg is process (\d+)/s.exec(example.stdout)?.[1]);

it(
  'an order that is placed in one window stands in the other, and goes on there',
  async () => {
    const [one, other] = [await open(), await open()];
    const id = await order(one, 'Flat white');
    for (const page of [one, other]) await shows(page, `${id} Flat white Placed`);
    await other.getByRole('button', { name: `Start order ${id}` }).click();
    for (const page of [one, other]) await shows(page, `${id} Flat white Making`);
    expect(await one.locator('#shelf label', { hasText: 'Flat white' }).textContent()).toContain('39 left');
    await one.reload();
    await shows(one, `${id} Flat white Making`);
  },
  TEST_MS,
);

it(
  'an order that is rolled back leaves nothing: no row, no publication, no number of the shelf',
  async () => {
    const [one, other] = [await open(), await open()];
    await order(one, 'Cheesecake');
    await order(one, 'Cheesecake');
    await eventually('the last one is gone', async () =>
      ((await other.locator('#shelf').textContent()) ?? '').includes('Sold out'),
    );
    const before = await state();
    expect(await order(one, 'Cheesecake')).toContain('rolled back');
    // What is ordered now is published after it: nothing of the one before is in between.
    const id = await order(one, 'Espresso');
    await shows(other, `${id} Espresso Placed`);
    const after = await state();
    expect(after.position.offset).toBe(before.position.offset + 2);
    expect((await shown(other)).filter(row => row.includes('Cheesecake'))).toHaveLength(2);
  },
  TEST_MS,
);

it(
  'the service is killed between commit and publish: nothing is lost, and open windows show it',
  async () => {
    const [one, other] = [await open(), await open()];
    const service = processOfService();
    process.kill(service, 'SIGSTOP');
    const stopped = await order(one, 'Croissant');
    process.kill(service, 'SIGKILL');
    const [away, last] = [await order(one, 'Croissant'), await order(other, 'Espresso')];
    await eventually('the service runs again', () => processOfService() !== service);
    for (const page of [one, other]) {
      await shows(page, `${stopped} Croissant Placed`);
      await shows(page, `${away} Croissant Placed`);
      await shows(page, `${last} Espresso Placed`);
      await page.waitForSelector(LIVE);
    }
    const id = await order(other, 'Croissant');
    await shows(one, `${id} Croissant Placed`);
    const numbers = (await shown(one)).map(row => Number.parseInt(row, 10));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => b - a));
  },
  TEST_MS,
);

it(
  'an order that two windows take on goes one step, and the later one is told',
  async () => {
    const [one, other] = [await open(), await open()];
    const id = await order(one, 'Espresso');
    await shows(other, `${id} Espresso Placed`);
    const service = processOfService();
    // Neither window hears of the other's click.
    process.kill(service, 'SIGSTOP');
    for (const [page, told] of [
      [one, `Order ${id}: making.`],
      [other, 'Somebody was faster.'],
    ] as const) {
      await page.getByRole('button', { name: `Start order ${id}` }).click();
      await page.locator('#outcome', { hasText: told }).waitFor();
    }
    process.kill(service, 'SIGCONT');
    for (const page of [one, other]) await shows(page, `${id} Espresso Making`);
  },
  TEST_MS,
);

it(
  'works with the keyboard alone',
  async () => {
    const page = await open();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const outcome = page.locator('#outcome');
    await eventually('an outcome', async () => /is placed/.test((await outcome.textContent()) ?? ''));
    const id = /\d+/.exec((await outcome.textContent()) ?? '')?.[0] ?? '';
    await shows(page, `${id} Espresso Placed`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    for (const step of ['Making', 'Ready', 'Collected']) {
      await page.keyboard.press('Enter');
      await shows(page, `${id} Espresso ${step}`);
    }
  },
  TEST_MS,
);

it(
  'has a page without a fault that axe finds, light and dark, wide and narrow',
  async () => {
    const page = await browser.page();
    pages.push(page);
    await equip(page);
    const complaints = new PageComplaints(page);
    await page.goto(address);
    await page.waitForSelector(LIVE);
    await order(page, 'Croissant');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const width of [1440, 390, 360]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await axeFaults(page)).toEqual([]);
        expect(await sidewaysScroll(page)).toBe(0);
        const table = await page.locator('#orders').boundingBox();
        expect((table?.x ?? 0) + (table?.width ?? width), `right edge of the table at ${width}`).toBeLessThan(
          width,
        );
      }
    }
    expect(complaints.take()).toEqual([]);
  },
  TEST_MS,
);
