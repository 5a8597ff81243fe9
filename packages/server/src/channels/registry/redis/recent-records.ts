import type { ChannelRecord } from '../../record.ts';

/** Records kept: more than a node has subscribes under way at once. */
const CAPACITY = 65_536;

/** The records this node saw last, the least recently seen ones dropped. */
export class RecentRecords {
  readonly #records = new Map<string, ChannelRecord>();
  readonly #capacity: number;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
  }

  get(name: string): ChannelRecord | undefined {
    return this.#records.get(name);
  }

  /** Remembers what the store answered; `undefined`: there is no record. */
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
