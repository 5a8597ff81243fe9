import type { ChannelRecord } from '../../record.ts';

/** Maximum number of records: more than a node has concurrent subscribes. */
const CAPACITY = 65_536;

/** A cache of the records that this node saw last; drops the least recently seen ones. */
export class RecentRecords {
  readonly #records = new Map<string, ChannelRecord>();
  readonly #capacity: number;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
  }

  get(name: string): ChannelRecord | undefined {
    return this.#records.get(name);
  }

  /** Caches an answer of the store; `undefined`: there is no record. */
  saw(name: string, record: ChannelRecord | undefined): void {
    this.#records.delete(name);
    if (record === undefined) return;
    this.#records.set(name, record);
    if (this.#records.size <= this.#capacity) return;
    const [oldest] = this.#records.keys();
    if (oldest !== undefined) this.#records.delete(oldest);
  }

  /** Another node changed the state of a channel. */
  changed(name: string, state: ChannelRecord['state']): void {
    const record = this.#records.get(name);
    if (record !== undefined) this.#records.set(name, { ...record, state });
  }
}
