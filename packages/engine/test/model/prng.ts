import type { Random } from '@msg/foundation/clock';

/** A small seeded generator (mulberry32): equal seeds give equal sequences, on every machine. */
export class Prng {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer in [0, 2^32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return this.next() % limit;
  }

  /** An integer in [least, most]. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}

/** The engine's source of randomness, repeatable. */
export function seededRandom(prng: Prng): Random {
  let uuids = 0;
  return {
    fraction: () => prng.next() / 2 ** 32,
    bytes: length => Uint8Array.from({ length }, () => prng.below(256)),
    uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
  };
}
