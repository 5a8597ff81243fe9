import { mainPosition } from './hash.ts';

/** Keys above this one are never in the array part. */
const MAX_ARRAY_KEY = 2 ** 26;
/** A length is searched by steps of one beyond this. */
const MAX_INT = 2 ** 31 - 3;

/** What a key is: a value, a number or nil. */
type Key<V> = V | number | undefined;

/**
 * A table of Lua 5.1 with its layout (ltable.c): an array part and a hash part of chained nodes, both resized as Lua does. So
 * the length of a table with holes and the order of `next` are those of the real one. The hash of a key is computed only when the
 * key is inserted; a `Map` finds it.
 */
export class TableLayout<V> {
  /** A table of the library refuses writes. */
  readonly: boolean;
  #array: (V | undefined)[];
  #arraySize: number;
  #places: Map<Key<V>, number> | undefined;
  #keys: Key<V>[];
  #values: (V | undefined)[];
  #next: number[];
  /** Number of nodes: 0 or a power of two. */
  #nodes: number;
  #lastFree: number;

  constructor(arraySize = 0, hashSize = 0) {
    this.readonly = false;
    this.#array = [];
    this.#arraySize = 0;
    this.#places = undefined;
    this.#keys = [];
    this.#values = [];
    this.#next = [];
    this.#nodes = 0;
    this.#lastFree = 0;
    if (arraySize > 0) this.#growArray(arraySize);
    if (hashSize > 0) this.#allocate(hashSize);
  }

  get(key: Key<V>): V | undefined {
    if (typeof key === 'number' && key >= 1 && key <= this.#arraySize && Number.isInteger(key))
      return this.#array[key - 1];
    const place = this.#places?.get(key);
    return place === undefined ? undefined : this.#values[place];
  }

  /** Stores a value; the key must be neither nil nor NaN. */
  set(key: Key<V>, value: V | undefined | undefined): void {
    if (typeof key === 'number' && key >= 1 && key <= this.#arraySize && Number.isInteger(key)) {
      this.#array[key - 1] = value;
      return;
    }
    const place = this.#places?.get(key);
    if (place !== undefined) this.#values[place] = value;
    // A nil makes a node, too, as in Lua.
    else this.#insert(key, value);
  }

  /** Makes room for so many elements: what a constructor does before it stores its list. */
  reserve(arraySize: number): void {
    if (arraySize > this.#arraySize) this.#resize(arraySize, this.#nodes);
  }

  /** A border (luaH_getn). */
  length(): number {
    let high = this.#arraySize;
    if (high > 0 && this.#array[high - 1] === undefined) {
      let low = 0;
      while (high - low > 1) {
        const middle = (low + high) >>> 1;
        if (this.#array[middle - 1] === undefined) high = middle;
        else low = middle;
      }
      return low;
    }
    return this.#nodes === 0 ? high : this.#searchBeyond(high);
  }

  /** The key after another one with its value, undefined at the end, null when the key is not in the table. */
  next(key: Key<V>): readonly [Key<V>, V | undefined] | undefined | null {
    let index = 0;
    if (key !== undefined) {
      if (typeof key === 'number' && key >= 1 && key <= this.#arraySize && Number.isInteger(key)) index = key;
      else {
        const place = this.#places?.get(key);
        if (place === undefined) return null;
        index = this.#arraySize + place + 1;
      }
    }
    for (; index < this.#arraySize; index++)
      if (this.#array[index] !== undefined) return [index + 1, this.#array[index]];
    for (let place = index - this.#arraySize; place < this.#nodes; place++)
      if (this.#values[place] !== undefined) return [this.#keys[place], this.#values[place]];
    return undefined;
  }

  #searchBeyond(border: number): number {
    let low = border;
    let high = border + 1;
    while (this.get(high) !== undefined) {
      low = high;
      high *= 2;
      if (high > MAX_INT) {
        let index = 1;
        while (this.get(index) !== undefined) index++;
        return index - 1;
      }
    }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.get(middle) === undefined) high = middle;
      else low = middle;
    }
    return low;
  }

  #insert(key: Key<V>, value: V | undefined | undefined): void {
    let place = this.#nodes === 0 ? -1 : mainPosition(key, this.#nodes);
    if (place === -1 || this.#values[place] !== undefined) {
      const free = this.#freePlace();
      if (free === -1) {
        this.#rehash(key);
        this.set(key, value);
        return;
      }
      const home = mainPosition(this.#keys[place], this.#nodes);
      if (home === place) {
        this.#next[free] = this.#next[place] as number;
        this.#next[place] = free;
        place = free;
      } else this.#move(place, free, home);
    }
    const places = this.#places as Map<Key<V>, number>;
    // A key without a value makes room for another one.
    if (this.#keys[place] !== undefined) places.delete(this.#keys[place]);
    this.#keys[place] = key;
    this.#values[place] = value;
    places.set(key, place);
  }

  /** Moves a node that is not in its main position to a free place. */
  #move(from: number, to: number, home: number): void {
    let previous = home;
    while (this.#next[previous] !== from) previous = this.#next[previous] as number;
    this.#next[previous] = to;
    this.#keys[to] = this.#keys[from];
    this.#values[to] = this.#values[from];
    this.#next[to] = this.#next[from] as number;
    (this.#places as Map<Key<V>, number>).set(this.#keys[to], to);
    this.#keys[from] = undefined;
    this.#values[from] = undefined;
    this.#next[from] = -1;
  }

  #freePlace(): number {
    while (this.#lastFree > 0) {
      this.#lastFree--;
      if (this.#keys[this.#lastFree] === undefined) return this.#lastFree;
    }
    return -1;
  }

  /** Chooses both sizes anew: the array part holds the most keys of which more than half are used. */
  #rehash(extra: Key<V>): void {
    const counts = new Array<number>(27).fill(0);
    let all = 1;
    let integers = countKey(extra, counts);
    for (let index = 0; index < this.#arraySize; index++) {
      if (this.#array[index] === undefined) continue;
      all++;
      integers += countKey(index + 1, counts);
    }
    for (let place = 0; place < this.#nodes; place++) {
      if (this.#values[place] === undefined) continue;
      all++;
      integers += countKey(this.#keys[place], counts);
    }
    const [size, used] = arraySizeFor(counts, integers);
    this.#resize(size, all - used);
  }

  #resize(arraySize: number, hashSize: number): void {
    const keys = this.#keys;
    const values = this.#values;
    const nodes = this.#nodes;
    const cut = this.#array.slice(arraySize, this.#arraySize);
    if (arraySize > this.#arraySize) this.#growArray(arraySize);
    this.#allocate(hashSize);
    if (arraySize < this.#arraySize) {
      this.#array.length = arraySize;
      this.#arraySize = arraySize;
      for (const [index, value] of cut.entries())
        if (value !== undefined) this.set(arraySize + index + 1, value);
    }
    for (let place = nodes - 1; place >= 0; place--)
      if (values[place] !== undefined) this.set(keys[place], values[place]);
  }

  #growArray(size: number): void {
    for (let index = this.#arraySize; index < size; index++) this.#array.push(undefined);
    this.#arraySize = size;
  }

  #allocate(hashSize: number): void {
    this.#nodes = hashSize === 0 ? 0 : 2 ** ceilingLog2(hashSize);
    this.#keys = new Array<Key<V>>(this.#nodes).fill(undefined);
    this.#values = new Array<V | undefined>(this.#nodes).fill(undefined);
    this.#next = new Array<number>(this.#nodes).fill(-1);
    this.#places = this.#nodes === 0 ? undefined : new Map();
    this.#lastFree = this.#nodes;
  }
}

function ceilingLog2(number: number): number {
  return number <= 1 ? 0 : 32 - Math.clz32(number - 1);
}

/** Counts a key that could be in the array part, by the power of two that it fits into. */
function countKey(key: unknown, counts: number[]): number {
  if (typeof key !== 'number' || !Number.isInteger(key) || key < 1 || key > MAX_ARRAY_KEY) return 0;
  const slice = ceilingLog2(key);
  counts[slice] = (counts[slice] as number) + 1;
  return 1;
}

/** The size of the array part, and how many keys it holds (computesizes). */
function arraySizeFor(counts: readonly number[], integers: number): readonly [number, number] {
  let below = 0;
  let size = 0;
  let used = 0;
  for (let power = 0, limit = 1; limit / 2 < integers; power++, limit *= 2) {
    below += counts[power] ?? 0;
    if ((counts[power] ?? 0) > 0 && below > limit / 2) {
      size = limit;
      used = below;
    }
    if (below === integers) break;
  }
  return [size, used];
}
