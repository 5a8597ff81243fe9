import { describe, expect, it } from 'vitest';
import { drawChart } from '#src/render/chart/draw.ts';
import { chartFigure } from '#src/render/chart/figure.ts';
import type { ChartConfig, Picture, Row } from '#src/render/chart/model.ts';
import { valueText } from '#src/render/chart/summary.ts';

const figure = (config: Partial<ChartConfig>, rows: readonly Row[]) =>
  String(
    chartFigure(
      drawChart({ kind: 'line', x: 'x', series: [{ field: 'y' }], ...config }, rows) as Picture,
      '<svg></svg>',
    ),
  );

const TWO = { title: 'Load', series: [{ field: 'y', label: 'eu' }, { field: 'z' }] };
const ROWS: Row[] = [
  { x: 'Mon', y: 1_204.5, z: 3 },
  { x: 'Tue', y: 2, z: null },
];

describe('the figure of a chart', () => {
  it('has a legend with two series or more, with the latest value of each', () => {
    const text = figure(TWO, ROWS);
    expect(text).toMatch(
      /<ul class="legend">.*<span>eu<\/span> <span class="value">2<\/span>.*<span>z<\/span> <span class="value">3<\/span>/,
    );
    expect(figure({}, ROWS)).not.toContain('legend');
  });

  it('is named by its title and a sentence of range, extremes and end', () => {
    expect(figure(TWO, ROWS)).toContain(
      'role="img" aria-label="Load. Line chart from Mon to Tue. eu: 2 to 1,204.5, last 2; z: 3 to 3, last 3."',
    );
  });

  it('names the largest slices of a pie', () => {
    const rows = ['a', 'b', 'c', 'd'].map((x, index) => ({ x, y: index + 1 }));
    expect(figure({ kind: 'pie' }, rows)).toContain('aria-label="Pie chart: d 40%, c 30%, b 20%, 1 more."');
  });

  it('has the same numbers as a table', () => {
    expect(figure(TWO, ROWS)).toContain(
      '<thead><tr><th scope="col">x</th><th scope="col" class="num">eu</th><th scope="col" class="num">z</th></tr></thead>' +
        '<tbody><tr><th scope="row">Mon</th><td class="num">1204.5</td><td class="num">3</td></tr>' +
        '<tr><th scope="row">Tue</th><td class="num">2</td><td class="num"></td></tr></tbody>',
    );
  });

  it('shows 1,000 rows and says where the others are', () => {
    const rows = Array.from({ length: 1_005 }, (_, x) => ({ x, y: x }));
    const text = figure({}, rows);
    expect(text.match(/<th scope="row">/g)).toHaveLength(1_000);
    expect(text).toContain('5 more rows are in the CSV.');
  });

  it('shows names from data as text', () => {
    expect(figure({ series: [{ field: 'y', label: '<img src=x>' }, { field: 'z' }] }, ROWS)).not.toContain(
      '<img',
    );
  });
});

describe('a value for people', () => {
  it.each([
    [1_284, '1,284'],
    [0.123_456, '0.1235'],
    [-3.5, '−3.5'],
    [1_234_567.891, '1,234,567.891'],
    [1e-9, '1e-9'],
  ])('%d is %s', (value, text) => {
    expect(valueText(value)).toBe(text);
  });
});
