import { type KeyUsageStore, kidOf, SINCE, type UsageTable } from './contract.ts';

/** The use of keys, which ends with the process. */
export class MemoryKeyUsageStore implements KeyUsageStore {
  readonly #moments = new Map<string, number>();

  async load(now: number): Promise<UsageTable> {
    if (!this.#moments.has(SINCE)) this.#moments.set(SINCE, now);
    return new Map(this.#moments);
  }

  async raise(moments: UsageTable): Promise<void> {
    for (const [entry, moment] of moments)
      if (moment > (this.#moments.get(entry) ?? 0)) this.#moments.set(entry, moment);
  }

  async forget(kids: readonly string[]): Promise<void> {
    const gone = new Set(kids);
    for (const entry of [...this.#moments.keys()])
      if (gone.has(kidOf(entry) ?? '')) this.#moments.delete(entry);
  }
}
