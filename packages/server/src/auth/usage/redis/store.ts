import { lua } from '@msg/redis';
import type { SharedStore } from '../../../stores/redis/shared-store.ts';
import { type KeyUsageStore, kidOf, SINCE, type UsageTable } from '../contract.ts';

const RAISE = lua('./raise.lua', import.meta.url);

/** The use of keys that all nodes share: the hash `<prefix>:keyusage`. */
export class RedisKeyUsageStore implements KeyUsageStore {
  readonly #store: SharedStore;
  readonly #hash: string;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#hash = store.key('keyusage');
  }

  async load(now: number): Promise<UsageTable> {
    await this.#store.call('HSETNX', this.#hash, SINCE, now);
    const flat = (await this.#store.call('HGETALL', this.#hash)) as string[]; // field, value, field, value …
    const table = new Map<string, number>();
    for (let index = 0; index + 1 < flat.length; index += 2)
      table.set(flat[index] as string, Number(flat[index + 1]));
    return table;
  }

  async raise(moments: UsageTable): Promise<void> {
    await this.#store.run(RAISE, [this.#hash], [...moments].flat());
  }

  async forget(kids: readonly string[]): Promise<void> {
    const gone = new Set(kids);
    const fields = (await this.#store.call('HKEYS', this.#hash)) as string[]; // of the command
    const entries = fields.filter(field => gone.has(kidOf(field) ?? ''));
    if (entries.length > 0) await this.#store.call('HDEL', this.#hash, ...entries);
  }
}
