import { defined } from '@msg/foundation/json';
import type { DrawnSeries, Plot, Point } from './model.ts';
import { type Palette, seriesDash, seriesRole } from './roles.ts';
import { thin } from './thin.ts';

/** Part of a category's place that its bars leave free. */
const BAR_GAP = '34%';
const WIDEST_BAR = 48;
const LINE = 1.75;
/** Opacity of an area on its own, and in a stack, where areas stand for amounts. */
const AREA = { alone: 0.12, stacked: 0.45 };

interface Paint {
  /** Of the plot, in pixels. */
  readonly width: number;
  readonly palette: Palette;
}

/** The lines, areas, bars or dots of one series. */
export function seriesOptions(plot: Plot, series: DrawnSeries, paint: Paint): object[] {
  const color = paint.palette(seriesRole(series.slot));
  const named = { name: series.name, silent: true, emphasis: { disabled: true }, color };
  if (plot.kind === 'bar') return [{ ...named, ...bars(plot, series, color) }];
  if (plot.kind === 'scatter') return [{ ...named, ...dots(series, color) }];
  const range = plot.x.kind === 'categories' ? { min: 0, max: plot.x.names.length } : plot.x;
  const runs = series.runs.map(run => thin(run, range, paint.width));
  const line = { ...named, ...lines(runs, series.slot, color) };
  if (plot.kind === 'line') return [line];
  return [{ ...named, ...areas(runs, plot.stacked ? AREA.stacked : AREA.alone, color) }, line];
}

function lines(runs: readonly (readonly Point[])[], slot: number, color: string): object {
  const dash = seriesDash(slot);
  return {
    type: 'line',
    symbol: 'none',
    connectNulls: false,
    lineStyle: defined({ width: LINE, color, type: dash }),
    itemStyle: { color },
    data: runs.flatMap((run, index) => [
      ...(index === 0 ? [] : [[run[0]?.x, null]]),
      ...run.map(point => (run.length === 1 ? lonePoint(point) : [point.x, point.top])),
    ]),
  };
}

/** A point between two gaps has no line to stand on: it is a dot. */
function lonePoint({ x, top }: Point): object {
  return { value: [x, top], symbol: 'circle', symbolSize: 5 };
}

/** The faces between tops and bases; ECharts' own areas cannot stand on a stack with gaps. */
function areas(runs: readonly (readonly Point[])[], opacity: number, color: string): object {
  return {
    type: 'custom',
    clip: true,
    data: runs.map((_, index) => [index]),
    renderItem: (
      { dataIndex }: { dataIndex: number },
      { coord }: { coord(place: readonly number[]): number[] },
    ) => {
      const run = runs[dataIndex] ?? [];
      const tops = run.map(({ x, top }) => coord([x, top]));
      const bases = run.map(({ x, base }) => coord([x, base])).reverse();
      return { type: 'polygon', shape: { points: [...tops, ...bases] }, style: { fill: color, opacity } };
    },
  };
}

function bars({ x, stacked }: Plot, { runs }: DrawnSeries, color: string): object {
  const places = x.kind === 'categories' ? x.names.length : 0;
  const data: (number | null)[] = Array.from({ length: places }, () => null);
  for (const { x: place, value } of runs.flat()) data[place] = value;
  return {
    type: 'bar',
    data,
    stack: stacked ? 'stack' : null,
    stackStrategy: 'samesign',
    barCategoryGap: BAR_GAP,
    barGap: '8%',
    barMaxWidth: WIDEST_BAR,
    itemStyle: { color },
  };
}

function dots({ runs }: DrawnSeries, color: string): object {
  return {
    type: 'scatter',
    symbol: 'circle',
    symbolSize: 7,
    itemStyle: { color, opacity: 0.8 },
    data: runs.flat().map(({ x, top }) => [x, top]),
  };
}
