import type { Json } from '../../document/json.ts';
import type { Row } from '../contract.ts';
import { rowOf } from './rows.ts';

/** Bytes of the publications that are kept of a channel. */
const MOST_BYTES = 8 * 1024 * 1024;

/** A publication as the client brings it. */
export interface Publication {
  readonly data: Json;
  /** Its place in the stream of the channel; absent where the channel keeps none. */
  readonly offset?: number;
}

interface Kept {
  readonly row: Row;
  readonly bytes: number;
}

/** The newest publications of a channel, each once, in the order of the stream. */
export class Publications {
  #most: number;
  #kept: Kept[] = [];
  #bytes = 0;
  /** Place of the last. */
  #last = 0;

  /** @param most so many are kept. */
  constructor(most: number) {
    this.#most = most;
  }

  get rows(): Row[] {
    return this.#kept.map(({ row }) => row);
  }

  /** From now on so many are kept. */
  set most(most: number) {
    this.#most = most;
  }

  /** One that was published now. True when it was not there yet. */
  add({ data, offset }: Publication): boolean {
    if (offset !== undefined) {
      if (offset <= this.#last) return false;
      this.#last = offset;
    }
    const added = { row: rowOf(data), bytes: 2 * (JSON.stringify(data) ?? '').length };
    this.#kept.push(added);
    this.#bytes += added.bytes;
    this.#forget();
    return true;
  }

  /** Begins anew with what the channel keeps now: its stream may be another one. */
  replace(history: readonly Publication[], last: number): void {
    this.#kept = [];
    this.#bytes = 0;
    this.#last = 0;
    for (const publication of history) this.add(publication);
    this.#last = Math.max(this.#last, last);
  }

  #forget(): void {
    while (this.#kept.length > this.#most || this.#bytes > MOST_BYTES) {
      this.#bytes -= this.#kept.shift()?.bytes ?? 0;
    }
  }
}
