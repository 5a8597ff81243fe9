import type { Clock } from '@msg/foundation/clock';
import type { LuaScript } from '@msg/redis';
import type { SharedStore } from '#src/stores/redis/shared-store.ts';

/** Longer than any test runs, and in no test the difference between two lifetimes. */
const SLACK_MS = 600_000;
const SECOND = 1000;

/**
 * A store whose keys expire by a test's clock instead of its own. After each operation it reads the lifetimes the
 * operation gave; before each operation it removes what is over by the test's clock.
 */
export class StoreOnTestTime implements SharedStore {
  readonly location: string;
  readonly #store: SharedStore;
  readonly #clock: Clock;
  /** Key → when it ends by the test's clock. */
  readonly #ends = new Map<string, number>();

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.location = store.location;
  }

  key(name: string): string {
    return this.#store.key(name);
  }

  now(): number {
    return this.#store.now();
  }

  call(command: string, ...args: (string | number)[]): Promise<unknown> {
    const key = String(args[0]);
    return this.#inTime([key], () => this.#store.call(command, ...args));
  }

  run(script: LuaScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.#inTime(keys, () => this.#store.run(script, keys, args));
  }

  async #inTime<T>(keys: readonly string[], operation: () => Promise<T>): Promise<T> {
    for (const key of keys) await this.#age(key);
    const answer = await operation();
    for (const key of keys) await this.#readLifetime(key);
    return answer;
  }

  async #age(key: string): Promise<void> {
    const end = this.#ends.get(key);
    if (end === undefined) return;
    const left = end - this.#clock.now();
    if (left > 0) {
      await this.#store.call('PEXPIRE', key, left + SLACK_MS);
    } else {
      await this.#store.call('DEL', key);
      this.#ends.delete(key);
    }
  }

  async #readLifetime(key: string): Promise<void> {
    const lifetime = Number(await this.#store.call('PTTL', key));
    const known = this.#ends.get(key);
    const isNew = known === undefined || lifetime > known - this.#clock.now() + SLACK_MS;
    // Lifetimes in tests are whole seconds; a few milliseconds of it have passed since.
    if (lifetime > 0 && isNew) this.#ends.set(key, this.#clock.now() + Math.ceil(lifetime / SECOND) * SECOND);
  }
}
