import type { Point } from './model.ts';

/** Width of the column of pixels of which the lowest and the highest point are kept. */
const COLUMN = 4;

/**
 * The points of a run that a line of this width can show: all, while they are at most half its pixels;
 * else the lowest and the highest of every 4 px, in their order, and both ends.
 */
export function thin(
  run: readonly Point[],
  range: { min: number; max: number },
  width: number,
): readonly Point[] {
  if (run.length <= width / 2) return run;
  const scale = (range.max - range.min) / (width / COLUMN);
  const thinned: Point[] = [];
  let column: Point[] = [];
  let place = Number.NaN;
  for (const point of run) {
    const next = Math.floor((point.x - range.min) / scale);
    if (next !== place) thinned.push(...extremes(column));
    if (next !== place) column = [];
    place = next;
    column.push(point);
  }
  thinned.push(...extremes(column));
  return withEnds(thinned, run);
}

function extremes(column: readonly Point[]): Point[] {
  const [first] = column;
  if (first === undefined) return [];
  let low = first;
  let high = first;
  for (const point of column) {
    if (point.top < low.top) low = point;
    if (point.top > high.top) high = point;
  }
  if (low === high) return [low];
  return column.indexOf(low) < column.indexOf(high) ? [low, high] : [high, low];
}

function withEnds(thinned: readonly Point[], run: readonly Point[]): readonly Point[] {
  const first = run[0];
  const last = run.at(-1);
  return [
    ...(first === undefined || thinned[0] === first ? [] : [first]),
    ...thinned,
    ...(last === undefined || thinned.at(-1) === last ? [] : [last]),
  ];
}
