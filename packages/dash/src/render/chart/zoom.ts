import type { DrawnSeries, Plot, Point } from './model.ts';
import { tightAxis, timeAxis } from './ticks.ts';

/** The part of a plot between two places of its x axis; its y axis stays. Undefined where no two marks are left. */
export function zoomed(plot: Plot, from: number, to: number): Plot | undefined {
  const [low, high] = from < to ? [from, to] : [to, from];
  return plot.x.kind === 'categories'
    ? byNames(plot, Math.round(low), Math.round(high))
    : byPlaces(plot, low, high);
}

function byPlaces(plot: Plot, low: number, high: number): Plot | undefined {
  const { x, series } = plot;
  const places = new Set(series.flatMap(({ runs }) => runs.flat()).map(point => point.x));
  if ([...places].filter(place => place >= low && place <= high).length < 2) return undefined;
  const axis = x.kind === 'time' ? timeAxis([low, high]) : tightAxis([low, high]);
  return { ...plot, x: x.label === undefined ? axis : { ...axis, label: x.label } };
}

function byNames(plot: Plot, first: number, last: number): Plot | undefined {
  const { x, series } = plot;
  if (x.kind !== 'categories' || last - first < 1) return undefined;
  const names = x.names.slice(Math.max(0, first), last + 1);
  const moved = (point: Point): Point => ({ ...point, x: point.x - Math.max(0, first) });
  const inside = (drawn: DrawnSeries): DrawnSeries => ({
    ...drawn,
    runs: drawn.runs
      .map(run => run.map(moved).filter(point => point.x >= 0 && point.x < names.length))
      .filter(run => run.length > 0),
  });
  return { ...plot, x: { ...x, names }, series: series.map(inside) };
}
