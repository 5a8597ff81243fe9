import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Characters, isDecimal } from '#src/delivery/decimal.ts';
import { Substring } from '#src/delivery/substring.ts';

/** The rule as a pattern, which backtracks: quadratic for long runs of digits, right for short texts. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A text that counts how often it is read. */
class CountingText implements Characters {
  reads = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  charCodeAt(at: number): number {
    this.reads++;
    return this.#text.charCodeAt(at);
  }
}

function readsOf(text: string, scan: (text: Characters) => boolean): number {
  const counting = new CountingText(text);
  scan(counting);
  return counting.reads;
}

const digits = (length: number) => '1'.repeat(length);

describe('decimal numerals', () => {
  it('are those of the pattern', () => {
    const text = fc.string({
      unit: fc.constantFrom('0', '7', '.', '-', '+', 'e', 'E', ' ', 'x'),
      maxLength: 8,
    });
    fc.assert(fc.property(text, candidate => isDecimal(candidate) === DECIMAL.test(candidate)));
  });

  it.each([
    ['digits before a letter', (length: number) => `${digits(length)}x`],
    ['a fraction before a letter', (length: number) => `1.${digits(length)}x`],
    ['an exponent before a letter', (length: number) => `1e${digits(length)}x`],
    ['points', (length: number) => '.'.repeat(length)],
    ['signs', (length: number) => '+'.repeat(length)],
    ['a numeral', (length: number) => `${digits(length)}.${digits(length)}e${digits(length)}`],
  ])('cost at most twice the reads at twice the length: %s', (_name, worst) => {
    const [once, twice] = [readsOf(worst(1_000), isDecimal), readsOf(worst(2_000), isDecimal)];
    expect(twice).toBeLessThanOrEqual(2 * once);
    expect(once).toBeLessThan(8 * 1_000);
  });
});

describe('a substring', () => {
  it('is found where the platform finds it, short or long', () => {
    const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });
    fc.assert(
      fc.property(letters(80), letters(6), (text, part) => {
        const sought = new Substring(part);
        return sought.isIn(text) === text.includes(part) && sought.scan(text) === text.includes(part);
      }),
    );
    const long = `${'ab'.repeat(40)}b`;
    expect(new Substring(long).isIn(`${'ab'.repeat(50)}${long}`)).toBe(true);
    expect(new Substring(long).isIn('ab'.repeat(500))).toBe(false);
  });

  it('reads each character of the text once, also where the platform compares all of a long part at each', () => {
    for (const part of [
      `ab${'a'.repeat(500)}`,
      `${'a'.repeat(500)}b`,
      `${'a'.repeat(250)}b${'a'.repeat(250)}`,
    ]) {
      const sought = new Substring(part);
      expect(readsOf('a'.repeat(4_000), text => sought.scan(text))).toBe(4_000);
    }
  });
});
