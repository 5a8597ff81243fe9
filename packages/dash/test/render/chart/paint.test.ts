import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { drawChart } from '#src/render/chart/draw.ts';
import type { ChartConfig, Picture, Row } from '#src/render/chart/model.ts';
import { paint } from '#src/render/chart/paint.ts';
import { UnsafePaintingError, writeSvg } from '#src/render/chart/svg.ts';

const SIZE = { width: 600, height: 300 };

function picture(config: ChartConfig, rows: readonly Row[]): Picture {
  const drawing = drawChart(config, rows);
  if (drawing.kind === 'none') throw new Error('no data');
  return drawing;
}

const chart = (kind: ChartConfig['kind'], rows: readonly Row[], more: Partial<ChartConfig> = {}) =>
  paint(picture({ kind, x: 'x', series: [{ field: 'y' }], ...more }, rows), SIZE, 'node');

/** The paths of a colour, as lists of numbers. */
function paths(svg: string, attribute: 'fill' | 'stroke', slot: number): number[][] {
  const coloured = new RegExp(`<(?:path|polygon)[^>]*${attribute}="var\\(--series-${slot}\\)"[^>]*>`, 'g');
  return [...svg.matchAll(coloured)].map(([tag]) =>
    [...(/ (?:d|points)="([^"]*)"/.exec(tag)?.[1] ?? '').matchAll(/-?\d+(?:\.\d+)?/g)].map(Number),
  );
}

interface Example {
  readonly kind: ChartConfig['kind'];
  readonly rows: readonly Row[];
  readonly more?: Partial<ChartConfig>;
}

const TWO = [{ field: 'y' }, { field: 'z' }];
const EVERY_KIND: readonly Example[] = [
  {
    kind: 'line',
    rows: [
      { x: 1, y: 1 },
      { x: 2, y: null },
      { x: 3, y: 2 },
      { x: 4, y: 1 },
    ],
  },
  {
    kind: 'area',
    rows: [
      { x: '2026-01-05', y: 1 },
      { x: '2026-01-12', y: 3 },
    ],
  },
  {
    kind: 'area',
    rows: [
      { x: 'a', y: 1, z: 2 },
      { x: 'b', y: 3, z: null },
    ],
    more: { stacked: true, series: TWO },
  },
  {
    kind: 'bar',
    rows: [
      { x: 'a', y: 1, z: -2 },
      { x: 'b', y: 3, z: null },
    ],
    more: { stacked: true, series: TWO },
  },
  {
    kind: 'pie',
    rows: [
      { x: 'a', y: 1 },
      { x: 'b', y: 3 },
    ],
  },
  {
    kind: 'scatter',
    rows: [
      { x: 1, y: 1 },
      { x: 2, y: 3 },
    ],
    more: { xLabel: 'Age', yLabel: 'Cost' },
  },
];

describe('a painted chart', () => {
  it.each(EVERY_KIND)(
    'of kind $kind holds no style, class, colour value, script or foreign attribute',
    ({ kind, rows, more }) => {
      const svg = chart(kind, rows, more);
      expect(svg).toMatch(/^<svg width="600" height="300" viewBox="0 0 600 300">.*<\/svg>$/s);
      expect(svg).not.toMatch(/style|class=|#[0-9a-f]{3,8}"|rgb|xmlns|ecmeta|zr\d|NaN|undefined/);
      for (const [, colour] of svg.matchAll(/(?:fill|stroke)="([^"]*)"/g)) {
        expect(colour).toMatch(/^(?:none|transparent|var\(--[a-z0-9-]+\))$/);
      }
    },
  );

  it.each(EVERY_KIND)(
    'of kind $kind has equal bytes for equal input, and ids of its own',
    ({ kind, rows, more }) => {
      expect(chart(kind, rows, more)).toBe(chart(kind, rows, more));
      for (const [, id] of chart(kind, rows, more).matchAll(/id="([^"]*)"/g))
        expect(id).toMatch(/^node-\d+$/);
    },
  );

  it('shows text from data as text', () => {
    const svg = chart('bar', [
      { x: '</text><script>alert(1)</script>', y: 1 },
      { x: 'a\u202eb\u0000', y: 2 },
    ]);
    expect(svg).not.toMatch(/<script|\u202e|\0/);
    expect(svg).toContain('&lt;/text&gt;&lt;');
  });

  it('has a bar from 0 to each value, and none for a gap', () => {
    const svg = chart('bar', [
      { x: 'a', y: 10 },
      { x: 'b', y: null },
      { x: 'c', y: 5 },
    ]);
    const heights = paths(svg, 'fill', 1).map(numbers => Math.abs(numbers.at(-3) ?? 0));
    expect(heights).toHaveLength(2);
    expect((heights[0] ?? 0) / (heights[1] ?? 1)).toBeCloseTo(2, 1);
  });

  it('breaks a line at a gap and shows a lone point as a dot', () => {
    const svg = chart('line', [
      { x: 1, y: 1 },
      { x: 2, y: null },
      { x: 3, y: 2 },
      { x: 4, y: 1 },
    ]);
    const line = /<path d="([^"]*)"[^>]*stroke="var\(--series-1\)"/.exec(svg)?.[1] ?? '';
    expect(line.replace(/[^MLl]/g, '')).toMatch(/^MM[Ll]$/);
    expect(svg).toMatch(/<path d="M1 0A1[^>]*fill="var\(--series-1\)"/);
  });

  it('stands each area of a stack on the one below it, across a gap as well', () => {
    const series = [{ field: 'a' }, { field: 'b' }];
    const svg = chart(
      'area',
      [
        { x: 1, a: 4, b: 2 },
        { x: 2, a: 4, b: 2 },
        { x: 3, a: null, b: 6 },
      ],
      { stacked: true, series },
    );
    const [lower = []] = paths(svg, 'fill', 1);
    const [upper = []] = paths(svg, 'fill', 2);
    // Polygons go forward over the tops and back over the bases.
    expect(upper.slice(-4)).toEqual(expect.arrayContaining(lower.slice(0, 2)));
  });

  it('has a slice for each category, from the top clockwise', () => {
    const svg = chart('pie', [
      { x: 'half', y: 1 },
      { x: 'rest', y: 1 },
    ]);
    const [first = []] = paths(svg, 'fill', 1);
    const [second = []] = paths(svg, 'fill', 2);
    expect(first[0]).toBeCloseTo(300, 0);
    expect(second[0]).toBeCloseTo(300, 0);
    expect(svg).toContain('half 50%');
  });

  it('has a dot for each row of a scatter chart', () => {
    const svg = chart('scatter', [
      { x: 1, y: 1 },
      { x: 1, y: 2 },
      { x: 2, y: null },
    ]);
    expect(paths(svg, 'fill', 1)).toHaveLength(2);
  });

  it.each([600, 50_000])('of 20 series and %d rows has at most 30 kB gzip', count => {
    let seed = 7;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const series = Array.from({ length: 20 }, (_, index) => ({ field: `s${index}` }));
    const rows = Array.from({ length: count }, (_, x) =>
      Object.fromEntries([['x', x], ...series.map(({ field }) => [field, random() * 100])]),
    );
    expect(gzipSync(chart('line', rows, { series })).length).toBeLessThanOrEqual(30_000);
  });
});

describe('the writer of SVG', () => {
  const svg = (attrs: Record<string, unknown>, tag = 'path') =>
    writeSvg({ tag: 'svg', attrs: {}, children: [{ tag, attrs }] }, 'node');

  it.each([
    ['a colour outside the design', { fill: '#123456' }],
    ['a colour from elsewhere', { stroke: 'url(https://example.com/#a)' }],
    ['an invalid path', { d: 'M0 0"/><script>' }],
    ['an invalid number', { width: '1"' }],
    ['a text of another size', { style: 'font-size:11px' }],
  ])('refuses %s', (_, attrs) => {
    expect(() => svg(attrs)).toThrow(UnsafePaintingError);
  });

  it.each(['script', 'style', 'foreignObject', 'image', 'use', 'a'])('leaves out an element %s', tag => {
    expect(svg({}, tag)).toBe('<svg></svg>');
  });

  it.each(['onclick', 'href', 'class', 'xlink:href'])('leaves out an attribute %s', name => {
    expect(svg({ [name]: 'x' })).toBe('<svg><path></path></svg>');
  });
});
