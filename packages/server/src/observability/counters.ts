/** Upper bounds of all histograms, seconds (messaging details, section 19). */
export const BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One series of a counter. */
export interface Series {
  readonly first: string;
  readonly second: string;
  readonly count: number;
}

interface Cell {
  count: number;
}

/** Plain integers by one or two label values, for hot code. The exporter reads them at each scrape. */
export class LabelledCounter {
  readonly #counts = new Map<string, Map<string, Cell>>();
  /** The labels of the previous call, which are mostly those of the next, and their cell. */
  #first: string | undefined;
  #second = '';
  #cell: Cell = { count: 0 };

  add(first: string, second = '', count = 1): void {
    if (first !== this.#first || second !== this.#second) {
      this.#cell = this.#cellOf(first, second);
      this.#first = first;
      this.#second = second;
    }
    this.#cell.count += count;
  }

  #cellOf(first: string, second: string): Cell {
    let inner = this.#counts.get(first);
    if (inner === undefined) {
      inner = new Map();
      this.#counts.set(first, inner);
    }
    let cell = inner.get(second);
    if (cell === undefined) {
      cell = { count: 0 };
      inner.set(second, cell);
    }
    return cell;
  }

  /** The sum of the series that match; without a condition, of all. */
  sum(matches: (first: string, second: string) => boolean = () => true): number {
    let sum = 0;
    for (const { first, second, count } of this.series()) if (matches(first, second)) sum += count;
    return sum;
  }

  /** For each first label how many have this second one, and how many another. */
  outcomes(good: string): ReadonlyMap<string, readonly [good: number, bad: number]> {
    const outcomes = new Map<string, readonly [number, number]>();
    for (const { first, second, count } of this.series()) {
      const [goodCount, badCount] = outcomes.get(first) ?? [0, 0];
      outcomes.set(first, second === good ? [goodCount + count, badCount] : [goodCount, badCount + count]);
    }
    return outcomes;
  }

  *series(): Iterable<Series> {
    for (const [first, inner] of this.#counts) {
      for (const [second, { count }] of inner) yield { first, second, count };
    }
  }
}

/** Durations of one kind: how many fell under each bound, their sum and number. */
interface HistogramCells {
  /** One number per bound, and one for larger values; not cumulative. */
  readonly counts: number[];
  sum: number;
  total: number;
}

/** Durations by one label value, counted into buckets. */
export class DurationHistogram {
  /** Upper bounds in seconds, ascending. */
  readonly bounds: readonly number[];
  readonly #cells = new Map<string, HistogramCells>();

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
  }

  add(label: string, seconds: number): void {
    let cells = this.#cells.get(label);
    if (cells === undefined) {
      cells = { counts: new Array<number>(this.bounds.length + 1).fill(0), sum: 0, total: 0 };
      this.#cells.set(label, cells);
    }
    let at = 0;
    while (at < this.bounds.length && seconds > (this.bounds[at] ?? 0)) at++;
    cells.counts[at] = (cells.counts[at] ?? 0) + 1;
    cells.sum += seconds;
    cells.total++;
  }

  cells(): Iterable<[string, Readonly<HistogramCells>]> {
    return this.#cells;
  }
}
