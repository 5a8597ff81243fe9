import { defined } from '@msg/foundation/json';
import { splitBy } from './by.ts';
import { type MergedRows, merge } from './merge.ts';
import {
  type CategoryAxis,
  type ChartConfig,
  type DataTable,
  type Drawing,
  type DrawnSeries,
  type NumberAxis,
  type Plot,
  type Point,
  type Row,
  slotOf,
} from './model.ts';
import { drawPie } from './pie.ts';
import { drawScatter } from './scatter.ts';
import { extentOf, roundAxis, tightAxis, timeAxis } from './ticks.ts';

/** A column of values, one for each x; null is a gap. */
type Column = readonly (number | null)[];

/**
 * The drawing of a chart's rows, to the letter of dashboard details 5.6.
 * Rows that give no mark (none at hand, every cell a gap, a pie whose total is 0) give the drawing without data.
 * @param reach Further numbers that the axis of values has room for.
 */
export function drawChart(
  config: ChartConfig,
  rows: readonly Row[] | undefined,
  reach: readonly number[] = [],
): Drawing {
  const picture = rows === undefined ? undefined : draw(config, rows, reach);
  return picture ?? defined({ kind: 'none' as const, title: config.title });
}

function draw(config: ChartConfig, rows: readonly Row[], reach: readonly number[]): Drawing | undefined {
  if (config.kind === 'pie') return drawPie(config, rows);
  const split = splitBy(config, rows);
  const plot =
    config.kind === 'scatter'
      ? drawScatter(split.config, split.rows, reach)
      : drawOverX(split.config, config.kind, split.rows, reach);
  if (plot === undefined) return undefined;
  const by = config.by === undefined ? undefined : { key: config.by, others: split.others };
  return defined({ ...plot, by, thresholds: config.thresholds });
}

/** A line, area or bar chart: one value for each x and series. */
function drawOverX(
  config: ChartConfig,
  kind: 'line' | 'area' | 'bar',
  rows: readonly Row[],
  reach: readonly number[],
): Plot | undefined {
  const merged = merge(config, rows, kind === 'bar' ? 'categories' : undefined);
  const columns = config.stacked === true ? stacked(kind, merged) : standing(merged);
  const points = columns.flat().filter(point => point !== undefined);
  if (points.length === 0) return undefined;
  const ends =
    kind === 'line' ? points.map(({ top }) => top) : points.flatMap(({ base, top }) => [base, top]);
  return defined({
    kind,
    title: config.title,
    stacked: config.stacked === true,
    x: defined({ ...xAxis(merged), label: config.xLabel }),
    y: defined({ ...roundAxis(extentOf([...ends, ...reach])), label: config.yLabel }),
    series: config.series.map(
      ({ label, field }, index): DrawnSeries => ({
        name: label ?? field,
        slot: slotOf(index),
        runs: runsOf(columns[index] ?? [], kind),
      }),
    ),
    table: tableOf(config, merged),
  });
}

/** Points of which each stands on 0. */
function standing({ places, values }: MergedRows): (Point | undefined)[][] {
  return values.map(column =>
    places.map((x, at) => {
      const value = column[at] ?? null;
      return value === null ? undefined : { x, value, base: 0, top: value };
    }),
  );
}

/** Points that stand on those of the series before them: areas on the sum, bars on the bars of their own sign. */
function stacked(kind: 'line' | 'area' | 'bar', { places, values }: MergedRows): (Point | undefined)[][] {
  const above = places.map(() => 0);
  const below = kind === 'bar' ? places.map(() => 0) : above;
  return values.map((column: Column) =>
    places.map((x, at) => {
      const value = column[at] ?? null;
      if (value === null) return undefined;
      const heap = value < 0 ? below : above;
      const base = heap[at] ?? 0;
      heap[at] = base + value;
      return { x, value, base, top: base + value };
    }),
  );
}

function runsOf(points: readonly (Point | undefined)[], kind: 'line' | 'area' | 'bar'): Point[][] {
  if (kind === 'bar') return [points.filter(point => point !== undefined)];
  const runs: Point[][] = [];
  let run: Point[] | undefined;
  for (const point of points) {
    if (point === undefined) {
      run = undefined;
    } else if (run === undefined) {
      run = [point];
      runs.push(run);
    } else {
      run.push(point);
    }
  }
  return runs;
}

function xAxis({ kind, places, texts }: MergedRows): NumberAxis | CategoryAxis {
  if (kind === 'categories') return { kind, names: texts };
  const extent = extentOf(places);
  return kind === 'time' ? timeAxis(extent) : tightAxis(extent, places.every(Number.isInteger));
}

function tableOf({ x, xLabel, series }: ChartConfig, { texts, values }: MergedRows): DataTable {
  return {
    head: [xLabel ?? x, ...series.map(({ label, field }) => label ?? field)],
    rows: texts.map((text, at) => [text, ...values.map(column => String(column[at] ?? ''))]),
  };
}
