import { describe, expect, it } from 'vitest';
import { drawChart } from '#src/render/chart/draw.ts';
import type { Plot } from '#src/render/chart/model.ts';
import { zoomed } from '#src/render/chart/zoom.ts';

const rows = ['a', 'b', 'c', 'd'].map((name, x) => ({ x, name, y: x * 10 }));
const plot = (x: string) =>
  drawChart({ kind: 'line', x, xLabel: 'X', series: [{ field: 'y' }] }, rows) as Plot;

describe('a zoomed plot', () => {
  it('has the part of its x axis, whichever end comes first, and its whole y axis', () => {
    const whole = plot('x');
    expect(zoomed(whole, 2.5, 0.5)).toMatchObject({ x: { min: 0.5, max: 2.5, label: 'X' }, y: whole.y });
  });

  it('has the names of the part, with their points', () => {
    const part = zoomed(plot('name'), 1, 2.2);
    expect(part?.x).toEqual({ kind: 'categories', names: ['b', 'c'], label: 'X' });
    expect(part?.series[0]?.runs.flat().map(({ x, value }) => [x, value])).toEqual([
      [0, 10],
      [1, 20],
    ]);
  });

  it.each([
    ['x', 1.2, 1.8],
    ['name', 1, 1.2],
  ])('is undefined where no two marks are left: %s', (x, from, to) => {
    expect(zoomed(plot(x), from, to)).toBeUndefined();
  });
});
