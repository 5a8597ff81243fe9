import { DashError } from '../../errors.ts';
import type { TimeWindow } from '../contract.ts';

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;
const DAY = 24 * H;
/** Distances of points that a person reads well. */
const LADDER: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map(count => count * S),
  ...[1, 2, 5, 10, 15, 30].map(count => count * MIN),
  ...[1, 2, 3, 6, 12].map(count => count * H),
];
/** Points of a series that an item has room for. */
const FEWEST_POINTS = 50;
const USUAL_MOST_POINTS = 1_000;
/** Points of a series that Prometheus answers. */
const MOST_POINTS = 11_000;

/**
 * The distance of points that fits an item: one point for every two pixels, rounded up to a readable distance, and no
 * closer than the scrapes are (page and review 5.3). All in milliseconds.
 */
export function fittingStep(spanMs: number, widthPx: number, scrapeMs: number): number {
  const points = Math.min(USUAL_MOST_POINTS, Math.max(FEWEST_POINTS, widthPx / 2));
  const step = Math.max(spanMs / points, scrapeMs);
  return LADDER.find(rung => rung >= step) ?? Math.ceil(step / DAY) * DAY;
}

/** A span whose ends are multiples of the step, so that questions of the same moment are equal. */
export function aligned({ from, to }: TimeWindow, step: number): TimeWindow {
  return { from: Math.floor(from / step) * step, to: Math.floor(to / step) * step };
}

/** @throws DashError QUERY_INVALID for a span of more points than Prometheus answers. */
export function requireFewPoints({ from, to }: TimeWindow, step: number): void {
  const points = Math.floor((to - from) / step) + 1;
  if (points <= MOST_POINTS) return;
  const message = `A series must have at most ${MOST_POINTS} points; got ${points}: use a longer step or a shorter range.`;
  throw new DashError('QUERY_INVALID', message, { points, step: `${step}ms` });
}
