/** Seed of this run: `MSG_SEED=<n>` repeats an earlier one. Every suite that uses it prints it. */
export const SEED: number = Number(process.env['MSG_SEED'] ?? Date.now() % 2 ** 31);

/** Random values from a seed, the same on every machine (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  }

  bytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => this.below(256));
  }

  /** Text with everything that needs care: escapes, control characters, every length of UTF-8. */
  text(most: number): string {
    let out = '';
    for (let n = this.below(most + 1); n > 0; n--) out += this.pick(CHARACTERS);
    return out;
  }

  /** A JSON value as text, with white space between tokens but no line breaks. */
  json(depth: number = 3): string {
    const kind = this.below(depth > 0 ? 8 : 6);
    const space = this.chance(0.2) ? this.pick([' ', '\t', '  ']) : '';
    if (kind === 0) return this.pick(['true', 'false', 'null']);
    if (kind === 1) return this.pick(['0', '-0', '1.0', '1e400', '12345678901234567890', '-3.5E-7', '42']);
    if (kind < 6) return JSON.stringify(this.text(12));
    const items = Array.from({ length: this.below(4) }, () => this.json(depth - 1));
    if (kind === 6) return `[${space}${items.join(`,${space}`)}]`;
    return `{${items.map(item => `${JSON.stringify(this.text(5))}${space}:${item}`).join(',')}${space}}`;
  }
}

const CHARACTERS = [
  'a',
  'b',
  'Z',
  '0',
  ' ',
  '"',
  '\\',
  '/',
  '\n',
  '\r',
  '\t',
  '\u0000',
  '\u001f',
  '\u007f',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '<',
  'é',
  'ß',
  'ж',
  '€',
  '\u2028',
  '\ufeff',
  '\uffff',
  '😀',
  '𝄞',
];
