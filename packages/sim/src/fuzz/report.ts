import type { Bytes } from '../redis/reply.ts';
import type { Call } from './sequence.ts';

/** What a comparison came to. */
export class FuzzReport {
  calls = 0;
  /** The shortest sequence of calls whose last reply differs, and both replies; empty: none does. */
  difference: readonly string[] = [];
  readonly #names = new Map<Bytes, number>();
  readonly #errors = new Set<Bytes>();

  count(calls: readonly Call[], errors: readonly Bytes[]): void {
    this.calls += calls.length;
    for (const { name } of calls) this.#names.set(name, (this.#names.get(name) ?? 0) + 1);
    for (const text of errors) this.#errors.add(kindOf(text));
  }

  /** Calls by command or script, in the order of their names. */
  get names(): ReadonlyMap<Bytes, number> {
    return new Map([...this.#names].toSorted(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** Error lines that both servers gave, without what they quote. */
  get errors(): readonly Bytes[] {
    return [...this.#errors].toSorted();
  }

  lines(): readonly string[] {
    const counts = [...this.names].map(([name, count]) => `${name} ${count}`);
    return [
      `${this.calls} calls`,
      `calls by name: ${counts.join(', ')}`,
      `${this.#errors.size} error texts:`,
      ...this.errors.map(text => `  ${text}`),
    ];
  }
}

function kindOf(text: Bytes): Bytes {
  return text
    .replace(/ script: .*/, '')
    .replace(/'[^']*'/g, "'…'")
    .replace(/(beginning with:|option).*/, '$1 …');
}
