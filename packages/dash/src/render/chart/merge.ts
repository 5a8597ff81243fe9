import type { Cell, ChartConfig, Row } from './model.ts';
import { timeOf } from './time.ts';

type XKind = 'linear' | 'time' | 'categories';

/** Rows with the same x as one, for each x the sum of every series; null is a gap. */
export interface MergedRows {
  readonly kind: XKind;
  /** Where each x stands: its number, its time, or its place among the categories. */
  readonly places: readonly number[];
  /** How each x is written. */
  readonly texts: readonly string[];
  /** For each series of the config, a value for each x. */
  readonly values: readonly (readonly (number | null)[])[];
}

/** Merges rows by their x, in stored order; linear and time axes in ascending order. A row without an x is skipped. */
export function merge({ x, series }: ChartConfig, rows: readonly Row[], only?: 'categories'): MergedRows {
  const placed = rows.filter(row => cellOf(row, x) !== null);
  const cells = placed.map(row => cellOf(row, x));
  const { kind, places } = placesOf(cells, only);
  const groups = new Map<number | string, { place: number; text: string; sums: (number | null)[] }>();
  placed.forEach((row, at) => {
    const text = cellText(cells[at] ?? null);
    const place = places?.[at] ?? groups.size;
    const key = places?.[at] ?? text;
    let group = groups.get(key);
    if (group === undefined) {
      group = { place, text, sums: series.map(() => null) };
      groups.set(key, group);
    }
    for (let index = 0; index < series.length; index++) {
      const amount = amountOf(row, series[index]?.field ?? '');
      if (amount !== null) group.sums[index] = (group.sums[index] ?? 0) + amount;
    }
  });
  const ordered = [...groups.values()].sort((before, after) => before.place - after.place);
  return {
    kind,
    places: ordered.map(({ place }) => place),
    texts: ordered.map(({ text }) => text),
    values: series.map((_, index) => ordered.map(({ sums }) => sums[index] ?? null)),
  };
}

/** The cell under a key, null where the row has none. */
export function cellOf(row: Row, key: string): Cell {
  return Object.hasOwn(row, key) ? (row[key] ?? null) : null;
}

/** The number under a key; anything else is a gap. */
export function amountOf(row: Row, key: string): number | null {
  const cell = cellOf(row, key);
  return typeof cell === 'number' ? cell : null;
}

/** A cell as text, as interpolation writes it (dashboard details 6.3). */
export function cellText(cell: Cell): string {
  return cell === null ? '' : String(cell);
}

/** Where cells stand on an axis of numbers or times; undefined for categories, which stand in order of appearance. */
function placesOf(
  cells: readonly Cell[],
  only: 'categories' | undefined,
): { kind: XKind; places?: readonly number[] } {
  if (only === 'categories') return { kind: only };
  const numbers = cells.filter(cell => typeof cell === 'number');
  if (numbers.length === cells.length) return { kind: 'linear', places: numbers };
  const times: number[] = [];
  for (const cell of cells) {
    const time = typeof cell === 'string' ? timeOf(cell) : undefined;
    if (time === undefined) return { kind: 'categories' };
    times.push(time);
  }
  return { kind: 'time', places: times };
}
