import type { Characters } from './decimal.ts';

/**
 * Up to this length the platform's `includes` searches: it compares at most this many units per position. For longer
 * texts it is quadratic ("abaaaa…" in "aaaa…": 20 s for 1 MB and 60 KB).
 */
const LONGEST_NATIVE = 32;

/** Finds one text in others, in time linear in the length of the other text (Knuth, Morris, Pratt). */
export class Substring {
  readonly #part: string;
  /** For each place: length of the longest proper prefix that ends there; undefined for a short part. */
  readonly #borders: Int32Array | undefined;

  constructor(part: string) {
    this.#part = part;
    this.#borders = part.length <= LONGEST_NATIVE ? undefined : bordersOf(part);
  }

  isIn(text: string): boolean {
    return this.#borders === undefined ? text.includes(this.#part) : this.scan(text, this.#borders);
  }

  /** The search for long parts; public for the test that counts what it reads. */
  scan(text: Characters, borders: Int32Array = bordersOf(this.#part)): boolean {
    const part = this.#part;
    let matched = 0;
    for (let at = 0; at < text.length && matched < part.length; at++) {
      matched = extended(part, borders, matched, text.charCodeAt(at));
    }
    return matched === part.length;
  }
}

function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  for (let at = 1; at < part.length; at++) {
    borders[at] = extended(part, borders, borders[at - 1] ?? 0, part.charCodeAt(at));
  }
  return borders;
}

/** How many units of `part` match after `unit`, when `matched` units matched before it. */
function extended(part: string, borders: Int32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
  return part.charCodeAt(length) === unit ? length + 1 : length;
}
