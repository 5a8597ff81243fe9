import { Browser, eventually } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { PageServer } from './page-server.ts';

const PATIENT_MS = 60_000;
const TWO = [{ field: 'y' }, { field: 'z' }];

const CHARTS: Readonly<Record<string, JsonObject>> = {
  bars: {
    kind: 'bar',
    rows: [
      { x: 'a', y: 1 },
      { x: 'b', y: 3 },
      { x: 'c', y: null },
    ],
  },
  heaps: {
    kind: 'bar',
    stacked: true,
    series: TWO,
    rows: [
      { x: 'a', y: 1, z: 2 },
      { x: 'b', y: 3, z: null },
      { x: 'c', y: 2, z: 4 },
    ],
  },
  line: { kind: 'line', rows: [1, 3, null, 2, 1, null, 2].map((y, x) => ({ x, y })) },
  areas: {
    kind: 'area',
    stacked: true,
    series: TWO,
    rows: [
      { x: '2026-01-05', y: 2, z: 1 },
      { x: '2026-01-12', y: 2, z: 3 },
    ],
  },
  pie: {
    kind: 'pie',
    rows: [
      { x: 'a', y: 1 },
      { x: 'b', y: 3 },
      { x: 'c', y: 4 },
    ],
  },
  dots: {
    kind: 'scatter',
    rows: [
      { x: 0, y: 1 },
      { x: 5, y: 2 },
      { x: 10, y: 3 },
    ],
  },
};
const METRICS: Readonly<Record<string, [config: JsonObject, shown: string]>> = {
  whole: [{ value: 1234.5, format: 'integer' }, '1,235'],
  parts: [{ value: 1234.5, format: 'decimal', digits: 1, unit: 'ms' }, '1,234.5\u202fms'],
  share: [{ value: 0.256, format: 'percent', digits: 1 }, '25.6%'],
  stored: [{ value: 1234.5 }, '1234.5'],
  words: [{ value: 'steady' }, 'steady'],
  nothing: [{ connectionId: 'elsewhere', aggregate: 'count' }, '–'],
};

const block = (id: string, type: string, config: JsonObject): JsonObject => ({
  id: `${id}-block`,
  type: 'block',
  config: { title: id, content: { id, type, config } },
});

const DOCUMENT: JsonObject = {
  manifest: { formatVersion: '1.0.0', id: 'drawn', title: 'Drawn' },
  connections: [{ id: 'elsewhere', type: 'http@1.0.0', config: { url: 'http://metrics.example/' } }],
  root: {
    id: 'page',
    type: 'container',
    children: [
      {
        id: 'body',
        type: 'container',
        config: { grid: { columns: [1, 1], gap: 1 } },
        children: [
          ...Object.entries(CHARTS).map(([id, config]) =>
            block(id, 'chart', { x: 'x', series: [{ field: 'y' }], ...config }),
          ),
          block('away', 'chart', {
            kind: 'bar',
            x: 'x',
            series: [{ field: 'y' }],
            connectionId: 'elsewhere',
          }),
          ...Object.entries(METRICS).map(([id, [config]]) => block(id, 'metric', { title: id, ...config })),
        ],
      },
    ],
  },
};

/** One mark of a drawing: its box in the units of the drawing, the parts of its path, and their length. */
interface Mark {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly parts: number;
  readonly length: number;
}

let server: PageServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([PageServer.start([DOCUMENT]), Browser.start()]);
  page = await browser.page();
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${server.url}/d/drawn`);
  for (const id of Object.keys(CHARTS)) {
    await eventually(
      id,
      async () => (await page.getAttribute(`#n-${id}`, 'data-state')) === 'ready',
      PATIENT_MS,
    );
  }
}, 2 * PATIENT_MS);

afterAll(async () => {
  await browser.stop();
  await server.stop();
});

/** The marks of a series, from left to right. */
async function marks(id: string, slot = 1, paint: 'fill' | 'stroke' = 'fill'): Promise<Mark[]> {
  const found =
    await page.evaluate(`[...document.querySelectorAll('#n-${id} .plot svg [${paint}="var(--series-${slot})"]')].map(mark => {
    const { x, y, width, height } = mark.getBBox();
    const { a, d, e, f } = mark.transform.baseVal.consolidate()?.matrix ?? { a: 1, d: 1, e: 0, f: 0 };
    return {
      left: x * a + e, top: y * d + f, right: (x + width) * a + e, bottom: (y + height) * d + f,
      parts: (mark.getAttribute('d') ?? '').match(/M[^M]*[LCAHV]/gi)?.length ?? 0,
      length: mark.getTotalLength(),
    };
  })`);
  return (found as Mark[]).sort((a, b) => a.left - b.left);
}

const height = ({ top, bottom }: Mark): number => bottom - top;

describe('the drawing of a chart on the page', () => {
  it('has a bar for each value, as high as the value, on one line, and none for a gap', async () => {
    const [a, b, ...more] = await marks('bars');
    if (a === undefined || b === undefined) throw new Error('no bars');
    expect(more).toEqual([]);
    expect(height(b) / height(a)).toBeCloseTo(3, 1);
    expect(b.bottom).toBeCloseTo(a.bottom, 1);
    expect(a.right).toBeLessThan(b.left);
  });

  it('stands each bar of a stack on the one below it', async () => {
    const [below, above] = [await marks('heaps', 1), await marks('heaps', 2)];
    expect([below.length, above.length]).toEqual([3, 2]);
    const [first, , third] = below as [Mark, Mark, Mark];
    const [onFirst, onThird] = above as [Mark, Mark];
    expect(onFirst.bottom).toBeCloseTo(first.top, 1);
    expect(onThird.bottom).toBeCloseTo(third.top, 1);
    expect(onThird.left).toBeCloseTo(third.left, 1);
    expect(height(onThird) / height(first)).toBeCloseTo(4, 1);
  });

  it('breaks a line at each gap and shows a lone point as a dot', async () => {
    const lines = await marks('line', 1, 'stroke');
    const runs = lines.reduce((sum, { parts }) => sum + parts, 0);
    const dots = await marks('line', 1, 'fill');
    expect(runs).toBe(2);
    expect(dots).toHaveLength(1);
    const [dot] = dots as [Mark];
    const right = Math.max(...lines.map(line => line.right));
    expect(dot.left).toBeGreaterThan(right);
  });

  it('stands each area of a stack on the one below it', async () => {
    const [[below], [above]] = [await marks('areas', 1), await marks('areas', 2)];
    if (below === undefined || above === undefined) throw new Error('no areas');
    expect(above.bottom).toBeCloseTo(below.top, 1);
    expect(height(above) / height(below)).toBeCloseTo(3 / 2, 1);
    expect([above.left, above.right].map(Math.round)).toEqual([below.left, below.right].map(Math.round));
  });

  it('has slices of the size of their share, from the top clockwise', async () => {
    const slices = await Promise.all([1, 2, 3].map(async slot => (await marks('pie', slot))[0]));
    const lengths = slices.map(slice => slice?.length ?? 0);
    // Each is two radii and its part of the circle.
    const radius = lengths.reduce((sum, length) => sum + length, 0) / (2 * 3 + 2 * Math.PI);
    const shares = lengths.map(length => (length - 2 * radius) / (2 * Math.PI * radius));
    for (const [at, share] of [1 / 8, 3 / 8, 4 / 8].entries()) expect(shares[at]).toBeCloseTo(share, 2);
    const [first, , last] = slices as [Mark, Mark, Mark];
    expect(first.left).toBeCloseTo(last.right, 0);
  });

  it('has dots at their places', async () => {
    const dots = (await marks('dots')) as [Mark, Mark, Mark];
    expect(dots).toHaveLength(3);
    const [x, y] = [dots.map(dot => (dot.left + dot.right) / 2), dots.map(dot => (dot.top + dot.bottom) / 2)];
    expect((x[1] ?? 0) - (x[0] ?? 0)).toBeCloseTo((x[2] ?? 0) - (x[1] ?? 0), 0);
    expect((y[0] ?? 0) - (y[1] ?? 0)).toBeCloseTo((y[1] ?? 0) - (y[2] ?? 0), 0);
    expect(y[0]).toBeGreaterThan(y[2] ?? 0);
  });

  it('has its numbers as a table, a gap an empty cell', async () => {
    for (const [id, { rows }] of Object.entries(CHARTS)) {
      await page.locator(`#n-${id} .numbers summary`).click();
      expect(await page.locator(`#n-${id} .numbers tbody tr`).count(), id).toBe((rows as unknown[]).length);
    }
    expect(await page.locator('#n-bars .numbers tbody tr').last().innerText()).toMatch(/^c\s*$/);
  });

  it('says No data where no rows are at hand', async () => {
    expect(await page.getAttribute('#n-away', 'data-state')).toBe('empty');
    expect(await page.innerText('#n-away')).toContain('No data');
    expect(await page.locator('#n-away .plot').count()).toBe(0);
  });
});

it.each(Object.entries(METRICS))('a metric shows its figure: %s', async (id, [, shown]) => {
  expect(await page.innerText(`#n-${id} .figure`)).toBe(shown);
});
