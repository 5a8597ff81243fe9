/** The first rows in an order, at most so many: a walk keeps these and no copy of all. */
export class BoundedRows<Row> {
  readonly #most: number;
  readonly #compare: (a: Row, b: Row) => number;
  readonly #rows: Row[] = [];

  constructor(most: number, compare: (a: Row, b: Row) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  /** Keeps the row if it is among the first. One that compares equal to a kept row is the same row. */
  add(row: Row): void {
    const rows = this.#rows;
    const last = rows.at(-1);
    if (rows.length === this.#most && last !== undefined && this.#compare(row, last) >= 0) return;
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(rows[middle] as Row, row) < 0) low = middle + 1;
      else high = middle;
    }
    const same = rows[low];
    if (same !== undefined && this.#compare(same, row) === 0) return;
    rows.splice(low, 0, row);
    if (rows.length > this.#most) rows.pop();
  }

  /** In their order. */
  get rows(): readonly Row[] {
    return this.#rows;
  }
}
