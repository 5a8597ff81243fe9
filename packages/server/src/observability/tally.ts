/** Label values of one series. */
export type Labels = Readonly<Record<string, string>>;

/** Plain integers by label values: what hot code counts with; whoever exports them reads them when asked. */
export class Tally<L extends Labels> {
  readonly #series = new Map<string, { readonly labels: L; count: number }>();

  add(labels: L): void {
    const key = Object.values(labels).join('\n');
    const series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, { labels, count: 1 });
    else series.count++;
  }

  series(): Iterable<{ readonly labels: L; readonly count: number }> {
    return this.#series.values();
  }
}
