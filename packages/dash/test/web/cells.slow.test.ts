import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@msg/foundation/clock';
import { Browser, eventually } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { HttpServer } from '#src/http/server.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { Charts } from '#src/render/chart/charts.ts';
import { Painter } from '#src/render/chart/painter.ts';
import { FileStore } from '#src/store/file-store.ts';

const PATIENT_MS = 120_000;
const CRASHING = new URL('./crashing-charts.mjs', import.meta.url);

/** A page of three columns with these items, and a tall text above them. */
function cells(id: string, items: readonly JsonObject[]): JsonObject {
  const blocks = items.map(item => ({
    id: `${String(item['id'])}-block`,
    type: 'block',
    config: { title: String(item['id']), content: item },
  }));
  const tall = { id: 'tall', type: 'markdown', config: { source: 'A line.\n\n'.repeat(400) } };
  return {
    manifest: { formatVersion: '1.0.0', id },
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'above',
          type: 'container',
          children: id === 'pictures' ? [{ id: 'tall-block', type: 'block', config: { content: tall } }] : [],
        },
        { id: 'body', type: 'container', config: { grid: { columns: [1, 1, 2], gap: 1 } }, children: blocks },
      ],
    },
  };
}

const chart = (id: string): JsonObject => ({
  id,
  type: 'chart',
  config: {
    kind: 'bar',
    x: 'x',
    series: [{ field: 'y' }],
    rows: [
      { x: 'a', y: 1 },
      { x: 'b', y: 2 },
    ],
  },
});
const metric: JsonObject = { id: 'figure', type: 'metric', config: { title: 'Figure', value: 7 } };
const picture = (id: string, src: string): JsonObject => ({
  id,
  type: 'image',
  config: { src, alt: `Words of ${id}` },
});

const DOCUMENTS = [
  cells('charts', [chart('narrow'), chart('middle'), chart('wide')]),
  cells('faults', [
    chart('crash-a'),
    chart('good-a'),
    metric,
    chart('throw-b'),
    chart('hang-c'),
    chart('good-b'),
  ]),
  cells('pictures', [picture('gone', '/no-such.png'), picture('nowhere', 'javascript:alert(1)')]),
];

let root: string;
let http: HttpServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dash-cells-'));
  for (const document of DOCUMENTS) {
    const { id } = document['manifest'] as { id: string };
    await writeFile(join(root, `${id}.json`), JSON.stringify(document));
  }
  browser = await Browser.start();
  http = await HttpServer.listen({
    served: { store: new FileStore({ root }) },
    engine: openDocumentEngine(),
    host: '127.0.0.1',
    port: 0,
    charts: new Charts(systemClock, new Painter(systemClock, CRASHING)),
  });
}, PATIENT_MS);

beforeEach(async () => {
  page = await browser.page();
});

afterEach(() => page.close());

afterAll(async () => {
  await browser.stop();
  await http.stop();
  await rm(root, { recursive: true });
});

const stateOf = (id: string): Promise<string | null> => page.getAttribute(`#n-${id}`, 'data-state');
const open = (id: string): Promise<unknown> => page.goto(`${http.url}/d/${id}`);

/** By how much each chart is scaled, and the part of the width of its cell that it fills. */
const SCALES = `[...document.querySelectorAll('.t-chart .plot > .chart > svg')].map(svg =>
  [svg.clientWidth / svg.viewBox.baseVal.width, svg.clientWidth / svg.closest('.ibody').clientWidth])`;

describe('a chart', () => {
  it.each([1280, 1440, 1920, 900, 390])(
    'fills its cell on a page %i wide, and is drawn anew where it would be scaled by more than a fifth',
    async width => {
      await page.setViewportSize({ width, height: 900 });
      await open('charts');
      await eventually(
        'three charts of about the size of their cells',
        async () => {
          const scales = (await page.evaluate(SCALES)) as [number, number][];
          expect(scales.every(([, filled]) => Math.abs(filled - 1) < 0.01)).toBe(true);
          return scales.length === 3 && scales.every(([scale]) => Math.abs(scale - 1) <= 0.2);
        },
        PATIENT_MS,
      );
    },
    PATIENT_MS,
  );

  it(
    'that ends the thread of drawings, or never ends, is RENDER_FAILED in its place; the others are drawn',
    async () => {
      await open('faults');
      for (const id of ['good-a', 'good-b', 'figure']) {
        await eventually(id, async () => (await stateOf(id)) === 'ready', PATIENT_MS);
      }
      for (const id of ['crash-a', 'throw-b', 'hang-c']) {
        await eventually(id, async () => (await stateOf(id)) === 'error', PATIENT_MS);
        expect(await page.innerText(`#n-${id}`)).toContain('RENDER_FAILED');
      }
      expect(await page.innerText('#n-hang-c')).toContain(
        'The chart cannot be drawn: it took longer than 5 s.',
      );
      expect(await page.innerText('#n-crash-a')).toContain('the drawing ended its thread');
      expect(await page.locator('.t-chart .plot svg').count()).toBe(2);
      expect((await fetch(`${http.url}/d/charts?render=all`)).status).toBe(200);
    },
    PATIENT_MS,
  );
});

describe('a picture that is not shown', () => {
  it.each([1280, 390])(
    'is a frame with its words, %i wide, also before anybody has scrolled to it',
    async width => {
      await page.setViewportSize({ width, height: 600 });
      await open('pictures');
      for (const id of ['gone', 'nowhere']) {
        const frame = page.locator(`#n-${id} .none`);
        await frame.waitFor({ state: 'attached' });
        expect(await frame.innerText()).toBe(`Words of ${id}`);
        expect((await frame.boundingBox())?.height).toBeGreaterThan(100);
      }
    },
    PATIENT_MS,
  );
});
