import { nowUs } from '../stamp.ts';
import { median } from '../statistics.ts';
import type { Seen } from './rolling-questions.ts';

/** Counts what all clients of a rolling restart see. */
export class RollingCounts {
  unrecovered = 0;
  missing = 0;
  doubled = 0;
  refused = 0;
  #away: number[] = [];
  #latestUs = 0;
  /** Clients that came back, by second. */
  #bySecond = new Map<number, number>();

  /** A client is subscribed again. */
  back(awayUs: number): void {
    this.#away.push(awayUs / 1000);
    const second = Math.floor(nowUs() / 1e6);
    this.#bySecond.set(second, (this.#bySecond.get(second) ?? 0) + 1);
  }

  /** A client got a publication of that moment. */
  arrived(publishedUs: number): void {
    this.#latestUs = Math.max(this.#latestUs, nowUs() - publishedUs);
  }

  /** Everything so far; then starts anew. */
  take(): Seen {
    const { unrecovered, missing, doubled, refused } = this;
    const away = this.#away;
    const seen: Seen = {
      unrecovered,
      missing,
      doubled,
      refused,
      back: away.length,
      mostPerSecond: Math.max(0, ...this.#bySecond.values()),
      awayMs: {
        median: away.length === 0 ? 0 : median(away),
        longest: away.reduce((most, ms) => Math.max(most, ms), 0),
      },
      latestMs: this.#latestUs / 1000,
    };
    this.unrecovered = this.missing = this.doubled = this.refused = this.#latestUs = 0;
    this.#away = [];
    this.#bySecond.clear();
    return seen;
  }
}
