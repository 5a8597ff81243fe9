import { ERRORS, fail } from './command-error.ts';
import type { Bytes } from './reply.ts';
import { copyOfValue, isEmpty, type Value, type Values, type ValueType } from './values.ts';

interface Entry {
  value: Value;
  /** Unix milliseconds; undefined: it stays. */
  expiresAtMs: bigint | undefined;
}

/** The keys of one database. One that has expired is not there, whenever it is removed. */
export class Keyspace {
  readonly #entries = new Map<Bytes, Entry>();
  readonly #now: () => number;

  /** @param now the server's Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  has(key: Bytes): boolean {
    return this.#entry(key) !== undefined;
  }

  /** @throws CommandError when it is of another type */
  read<T extends ValueType>(key: Bytes, type: T): Values[T] | undefined {
    const entry = this.#entry(key);
    if (entry === undefined) return undefined;
    if (entry.value.type !== type) return fail(ERRORS.wrongType);
    return entry.value.content as Values[T]; // of the same type
  }

  /** The type of a value, for a command that does not fail for a wrong one. */
  typeOf(key: Bytes): ValueType | undefined {
    return this.#entry(key)?.value.type;
  }

  /**
   * The value of a key, made when it is missing.
   * @throws CommandError when it is of another type
   */
  ensure<T extends ValueType>(key: Bytes, type: T, make: () => Values[T]): Values[T] {
    const present = this.read(key, type);
    if (present !== undefined) return present;
    const content = make();
    this.set(key, { type, content } as Value);
    return content;
  }

  /** Replaces whatever is there. Without an expiry it stays for ever. */
  set(key: Bytes, value: Value, expiresAtMs?: bigint): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAtMs });
  }

  /** Replaces the text of a string and keeps its expiry. */
  setText(key: Bytes, content: Bytes): void {
    this.set(key, { type: 'string', content }, this.expiryOf(key));
  }

  delete(key: Bytes): boolean {
    return this.#entry(key) !== undefined && this.#entries.delete(key);
  }

  /** Removes a key and answers what it was. */
  take(key: Bytes): Readonly<Entry> | undefined {
    const entry = this.#entry(key);
    this.#entries.delete(key);
    return entry;
  }

  /** A value without elements is not kept. */
  deleteIfEmpty(key: Bytes): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined && isEmpty(entry.value)) this.#entries.delete(key);
  }

  /** Unix milliseconds; undefined without a key or an expiry. */
  expiryOf(key: Bytes): bigint | undefined {
    return this.#entry(key)?.expiresAtMs;
  }

  expireAt(key: Bytes, atMs: bigint): void {
    const entry = this.#entry(key);
    if (entry !== undefined) entry.expiresAtMs = atMs;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Names of all keys that have not expired. */
  names(): Bytes[] {
    return [...this.#entries.keys()].filter(key => this.has(key));
  }

  /** A database of its own with the same content. */
  copy(now: () => number): Keyspace {
    const copy = new Keyspace(now);
    for (const [key, { value, expiresAtMs }] of this.#entries)
      copy.#entries.set(key, { value: copyOfValue(value), expiresAtMs });
    return copy;
  }

  #entry(key: Bytes): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry?.expiresAtMs === undefined || this.#now() <= entry.expiresAtMs) return entry;
    this.#entries.delete(key);
    return undefined;
  }
}
