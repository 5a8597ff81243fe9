/** Random values from a seed, the same on every machine (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number in [0, bound). */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  /** The values in a drawn order. */
  shuffled<T>(values: readonly T[]): T[] {
    const result = [...values];
    for (let last = result.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [result[last], result[other]] = [result[other] as T, result[last] as T];
    }
    return result;
  }
}
