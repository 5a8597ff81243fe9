import { defined } from '@msg/foundation/json';
import { amountOf, cellOf, cellText } from './merge.ts';
import { type ChartConfig, type DrawnSeries, type Plot, type Point, type Row, slotOf } from './model.ts';
import { extentOf, roundAxis } from './ticks.ts';

/** One dot for each row and series; rows with the same x stay apart (dashboard details 5.6). */
export function drawScatter(
  config: ChartConfig,
  rows: readonly Row[],
  reach: readonly number[],
): Plot | undefined {
  const placed = rows.filter(row => amountOf(row, config.x) !== null);
  const series = config.series.map(
    ({ label, field }, index): DrawnSeries => ({
      name: label ?? field,
      slot: slotOf(index),
      runs: [placed.flatMap(row => dot(amountOf(row, config.x), amountOf(row, field)))],
    }),
  );
  const points = series.flatMap(({ runs }) => runs.flat());
  if (points.length === 0) return undefined;
  return defined({
    kind: 'scatter' as const,
    title: config.title,
    stacked: false,
    x: defined({ ...roundAxis(extentOf(points.map(({ x }) => x))), label: config.xLabel }),
    y: defined({ ...roundAxis(extentOf([...points.map(({ top }) => top), ...reach])), label: config.yLabel }),
    series,
    table: {
      head: [config.xLabel ?? config.x, ...series.map(({ name }) => name)],
      rows: placed.map(row => [
        cellText(cellOf(row, config.x)),
        ...config.series.map(({ field }) => cellText(amountOf(row, field))),
      ]),
    },
  });
}

function dot(x: number | null, value: number | null): Point[] {
  return x === null || value === null ? [] : [{ x, value, base: 0, top: value }];
}
