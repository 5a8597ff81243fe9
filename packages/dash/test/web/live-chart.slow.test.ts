import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemRandom } from '@msg/foundation/clock';
import { Browser, closeServer } from '@msg/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { drawChart } from '#src/render/chart/draw.ts';
import { chartFigure } from '#src/render/chart/figure.ts';
import type { ChartConfig, Picture } from '#src/render/chart/model.ts';
import { paint } from '#src/render/chart/paint.ts';
import { Assets } from '#src/web/assets.ts';
import { pagePolicy } from '#src/web/policy.ts';

const LIMIT_MS = 60_000;
const SIZE = { width: 600, height: 240 };
const CONFIG: ChartConfig = { kind: 'line', x: 'x', title: 'Load', series: [{ field: 'a' }, { field: 'b' }] };
const ROWS = Array.from({ length: 60 }, (_, x) => ({ x, a: (x * 7) % 31, b: (x * 13) % 37 }));

const assets = new Assets();
const server = createServer((incoming, outgoing) => {
  const [type, text] = answers(incoming.url ?? '');
  outgoing.writeHead(200, {
    'content-type': type,
    'content-security-policy': pagePolicy(systemRandom).header,
  });
  outgoing.end(text);
});
let browser: Browser;
let page: Awaited<ReturnType<Browser['page']>>;
let reports: string[];

function answers(url: string): [string, string | Uint8Array] {
  const asset = assets.find(url.replace('/static/', ''));
  if (asset !== undefined) return [asset.type, asset.bytes];
  if (url === '/open.js') return ['text/javascript', OPEN];
  if (url !== '/') return ['text/plain', ''];
  const picture = drawChart(CONFIG, ROWS) as Picture;
  const figure = chartFigure(picture, paint(picture, SIZE, 'chart'));
  return [
    'text/html',
    `<!doctype html><html lang="en"><head><title>Chart</title><link rel="stylesheet" href="/static/page.css"></head><body>${figure}<script type="module" src="/open.js"></script></body></html>`,
  ];
}

const OPEN = `
  const { openLive } = await import('/static/charts.js');
  const live = openLive(document.querySelector('.plot'), ${JSON.stringify(CONFIG)}, ${JSON.stringify(ROWS)});
  addEventListener('close-live', () => live.close());
`;

beforeAll(async () => {
  browser = await Browser.start();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
}, LIMIT_MS);

afterAll(async () => {
  await browser.stop();
  await closeServer(server);
}, LIMIT_MS);

beforeEach(async () => {
  reports = [];
  page = await browser.page();
  page.on('console', message => reports.push(message.text()));
  page.on('pageerror', error => reports.push(error.message));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.locator('canvas.live').waitFor();
}, LIMIT_MS);

const pixels = () =>
  page.locator('canvas.live').evaluate(canvas => (canvas as unknown as { toDataURL(): string }).toDataURL());

/** Waits until the canvas shows something else than before; what it then shows. */
async function changedFrom(before: string): Promise<string> {
  await expect.poll(pixels, { timeout: LIMIT_MS }).not.toBe(before);
  return pixels();
}

async function place(x: number, y = 100): Promise<[number, number]> {
  const box = await page.locator('canvas.live').boundingBox();
  return [(box?.x ?? 0) + x, (box?.y ?? 0) + y];
}

test(
  'a live chart lies over the picture of the server and shows a crosshair where the pointer is',
  async () => {
    expect(await page.locator('.plot svg').isVisible()).toBe(false);
    const before = await pixels();
    await page.mouse.move(...(await place(300)));
    const pointed = await changedFrom(before);
    await page.mouse.move(...(await place(420)));
    await changedFrom(pointed);
    expect(reports).toEqual([]);
  },
  LIMIT_MS,
);

test.each(['Escape', 'a double click'])(
  'a drag zooms, %s shows the whole again',
  async how => {
    await page.mouse.move(...(await place(1, 239)));
    const whole = await pixels();
    await page.mouse.move(...(await place(200)));
    await page.mouse.down();
    await page.mouse.move(...(await place(400)), { steps: 4 });
    expect(await page.locator('.zoomband').isVisible()).toBe(true);
    await page.mouse.up();
    expect(await page.locator('.zoomband').isVisible()).toBe(false);
    await page.mouse.move(...(await place(1, 239)));
    const zoomed = await changedFrom(whole);
    if (how === 'Escape') await page.keyboard.press('Escape');
    else await page.mouse.dblclick(...(await place(1, 239)));
    await changedFrom(zoomed);
    await expect.poll(pixels, { timeout: LIMIT_MS }).toBe(whole);
    expect(reports).toEqual([]);
  },
  LIMIT_MS,
);

test(
  'a closed live chart leaves the picture of the server',
  async () => {
    await page.locator('body').dispatchEvent('close-live');
    expect(await page.locator('canvas').count()).toBe(0);
    expect(await page.locator('.plot svg').isVisible()).toBe(true);
  },
  LIMIT_MS,
);
