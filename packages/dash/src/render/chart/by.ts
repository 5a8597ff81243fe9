import { cellOf, cellText } from './merge.ts';
import type { Cell, ChartConfig, Row } from './model.ts';

/** Series that the values of a column give at most. */
const MOST_SERIES = 20;

/** A chart with a series for each value of a column. */
interface SplitRows {
  readonly config: ChartConfig;
  readonly rows: readonly Row[];
  /** Values that are not drawn, because there are more than series. */
  readonly others: number;
}

/**
 * The one series of a chart as one for each distinct value under the key `by`, named by it, in order of first
 * appearance (page and review 5.9). A chart without `by` stays as it is.
 */
export function splitBy(config: ChartConfig, rows: readonly Row[]): SplitRows {
  const { by, x, series } = config;
  const field = series[0]?.field;
  if (by === undefined || field === undefined) return { config, rows, others: 0 };
  const keys = new Map<string, string>();
  const others = new Set<string>();
  const split: Row[] = [];
  for (const row of rows) {
    const place = cellOf(row, x);
    if (place === null) continue;
    const name = nameOf(cellOf(row, by), by);
    const key = keys.get(name) ?? `${x}/${keys.size}`;
    if (!keys.has(name) && keys.size === MOST_SERIES) {
      others.add(name);
      continue;
    }
    keys.set(name, key);
    split.push({ [x]: place, [key]: cellOf(row, field) });
  }
  const named = [...keys].map(([label, each]) => ({ field: each, label }));
  return { config: { ...config, series: named }, rows: split, others: others.size };
}

function nameOf(cell: Cell, by: string): string {
  return cell === null ? `no ${by}` : cellText(cell);
}
