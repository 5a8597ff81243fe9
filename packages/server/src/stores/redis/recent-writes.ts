import type { Clock } from '@msg/foundation/clock';

const KEPT_MS = 60_000;
const MOST = 10_000;
/** Room for what is not dropped at once. */
const SLACK = 1000;
const AT_ONCE = 100;
/** A store that has just taken over may load its data, or not know yet that it is the master. */
const AGAIN_MS = 1000;

/** Sets a mark for so many milliseconds. */
type SetMark = (leftMs: number) => Promise<unknown>;

/** Both times are monotonic. */
interface Write {
  readonly at: number;
  readonly until: number;
  readonly set: SetMark;
}

export interface RecentWritesOptions {
  readonly clock: Clock;
  /** Commands are accepted. */
  readonly isReady: () => boolean;
  /** So many were written again. */
  readonly onRepeated: (count: number) => void;
  /** The first failure since they were written. */
  readonly onError: (error: unknown) => void;
}

/**
 * Marks of one kind, such as revocations, that this node has set in the last minute: the newest 10,000. A fail-over may
 * lose what the store has answered, so they are set again when its connection is back (simulation 16.2). A mark that is
 * there is not changed by that.
 */
export class RecentWrites {
  readonly #options: RecentWritesOptions;
  #writes: Write[] = [];
  /** Since when the store may have lost something: the minute is the one before. */
  #lostAt: number | undefined;
  #losses = 0;
  #isRepeating = false;
  #mustRepeat = false;
  #hasFailed = false;

  constructor(options: RecentWritesOptions) {
    this.#options = options;
  }

  /** Sets a mark, and keeps it. */
  async write(lifetimeMs: number, set: SetMark): Promise<void> {
    await set(lifetimeMs);
    this.keep(lifetimeMs, set);
  }

  /** Keeps a mark that the store has answered. */
  keep(lifetimeMs: number, set: SetMark): void {
    const now = this.#options.clock.monotonic();
    this.#writes.push({ at: now, until: now + lifetimeMs, set });
    if (this.#writes.length >= MOST + SLACK) this.#drop();
  }

  /** The connection is lost. */
  lost(): void {
    this.#losses++;
    this.#lostAt ??= this.#options.clock.monotonic();
  }

  /** The connection is there again. Never rejects: what fails is tried again after a second, or with the next connection. */
  async ready(): Promise<void> {
    this.#mustRepeat = true;
    if (this.#isRepeating) return;
    this.#isRepeating = true;
    while (this.#mustRepeat) {
      this.#mustRepeat = false;
      await this.#repeat().catch((error: unknown) => this.#failed(error));
    }
    this.#isRepeating = false;
  }

  async #repeat(): Promise<void> {
    this.#drop();
    const losses = this.#losses;
    const writes = [...this.#writes];
    for (let from = 0; from < writes.length; from += AT_ONCE) {
      const now = this.#options.clock.monotonic();
      await Promise.all(
        writes.slice(from, from + AT_ONCE).map(({ until, set }) => set(Math.max(1, Math.ceil(until - now)))),
      );
    }
    if (this.#losses === losses) this.#lostAt = undefined;
    this.#hasFailed = false;
    if (writes.length > 0) this.#options.onRepeated(writes.length);
  }

  #failed(error: unknown): void {
    const { clock, isReady, onError } = this.#options;
    if (!this.#hasFailed) onError(error);
    this.#hasFailed = true;
    clock.setTimeout(() => {
      if (isReady()) void this.ready();
    }, AGAIN_MS);
  }

  #drop(): void {
    const now = this.#options.clock.monotonic();
    const from = (this.#lostAt ?? now) - KEPT_MS;
    this.#writes = this.#writes.filter(({ at, until }) => at >= from && until > now).slice(-MOST);
  }
}
