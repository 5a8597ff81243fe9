import { defined } from '@msg/foundation/json';
import type { DrawnSeries, Plot, Point } from './model.ts';
import { extentOf, roundAxis } from './ticks.ts';

/**
 * A plot without some of its series. Those that stay keep their colours; they are stacked, and the axis of values is
 * laid, as if the others were not there. Without any series the axes stay as they were.
 */
export function withoutSeries(plot: Plot, hidden: ReadonlySet<string>): Plot {
  const shown = plot.series.filter(({ name }) => !hidden.has(name));
  if (shown.length === plot.series.length) return plot;
  const series = plot.stacked && plot.kind !== 'scatter' ? restacked(shown, plot.kind === 'bar') : shown;
  const points = series.flatMap(({ runs }) => runs.flat());
  if (points.length === 0) return { ...plot, series: [] };
  const standsOnAxis = plot.kind === 'bar' || plot.kind === 'area';
  const ends = points.flatMap(({ base, top }) => (standsOnAxis ? [base, top] : [top]));
  return { ...plot, series, y: defined({ ...roundAxis(extentOf(ends)), label: plot.y.label }) };
}

/** Each point on those of the series before it: bars on the bars of their own sign. */
function restacked(series: readonly DrawnSeries[], isBar: boolean): DrawnSeries[] {
  const above = new Map<number, number>();
  const below = isBar ? new Map<number, number>() : above;
  const stand = ({ x, value }: Point): Point => {
    const heap = value < 0 ? below : above;
    const base = heap.get(x) ?? 0;
    heap.set(x, base + value);
    return { x, value, base, top: base + value };
  };
  return series.map(drawn => ({ ...drawn, runs: drawn.runs.map(run => run.map(stand)) }));
}
