import { describe, expect, it } from 'vitest';
import { drawChart } from '#src/render/chart/draw.ts';
import { chartFigure } from '#src/render/chart/figure.ts';
import { withoutSeries } from '#src/render/chart/hidden.ts';
import type { ChartConfig, Plot } from '#src/render/chart/model.ts';

const SERIES = [{ field: 'a', label: 'A' }, { field: 'b' }, { field: 'c' }];
const ROWS = [
  { x: 1, a: 10, b: 1, c: 100 },
  { x: 2, a: 20, b: -2, c: null },
  { x: 3, a: 30, b: 3, c: 300 },
];
const plot = (config: Partial<ChartConfig>, series = SERIES): Plot =>
  drawChart({ kind: 'line', x: 'x', ...config, series }, ROWS) as Plot;
const only = (whole: Plot, ...names: string[]): Plot =>
  withoutSeries(whole, new Set(whole.series.map(({ name }) => name).filter(name => !names.includes(name))));

describe('a plot without some of its series', () => {
  it.each([
    { kind: 'line' },
    { kind: 'area', stacked: true },
    { kind: 'bar', stacked: true },
    { kind: 'bar' },
    { kind: 'scatter' },
  ] as const)('stands as one that never had them, in its own colours: %j', config => {
    const whole = plot(config);
    const expected = plot(config, [SERIES[0] ?? { field: '' }, SERIES[1] ?? { field: '' }]);
    const part = only(whole, 'A', 'b');
    expect(part.series).toEqual(expected.series);
    expect(part.y).toEqual(expected.y);
    expect(part.table).toEqual(whole.table);
    const late = only(whole, 'c');
    expect(late.series.map(({ slot }) => slot)).toEqual([3]);
    expect(late.series[0]?.runs).toEqual(plot(config, [{ field: 'c' }]).series[0]?.runs);
  });

  it('keeps its axes when none is left, and is itself when all are', () => {
    const whole = plot({ kind: 'line' });
    expect(only(whole)).toEqual({ ...whole, series: [] });
    expect(withoutSeries(whole, new Set(['nothing']))).toBe(whole);
  });

  it('has them in the legend and in the table all the same', () => {
    const whole = plot({ kind: 'line' });
    const figure = String(chartFigure(whole, '<svg></svg>', new Set(['b'])));
    expect(figure).toContain('<li data-series="A">');
    expect(figure).toContain('<li data-series="b" data-off>');
    expect(figure.match(/<th scope="col"/g)).toHaveLength(4);
  });
});
