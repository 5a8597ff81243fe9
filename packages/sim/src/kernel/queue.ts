import type { Entry } from './actor.ts';

/** A binary heap by (virtual µs, order, serial). */
export class Queue {
  #heap: Entry[] = [];

  get size(): number {
    return this.#heap.length;
  }

  first(): Entry | undefined {
    return this.#heap[0];
  }

  push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Entry;
      if (!isBefore(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) this.#sink(last);
    return first;
  }

  /** Removes entries, so that nothing holds on to what they would have run. */
  remove(matches: (entry: Entry) => boolean): void {
    const others = this.#heap.filter(entry => !matches(entry));
    this.#heap = [];
    for (const entry of others) this.push(entry);
  }

  #sink(entry: Entry): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Entry)) child++;
      const below = heap[child] as Entry;
      if (!isBefore(below, entry)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = entry;
  }
}

function isBefore(first: Entry, second: Entry): boolean {
  if (first.atUs !== second.atUs) return first.atUs < second.atUs;
  if (first.order !== second.order) return first.order < second.order;
  return first.serial < second.serial;
}
