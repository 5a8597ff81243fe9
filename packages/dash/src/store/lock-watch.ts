import { stat } from 'node:fs/promises';
import type { Clock } from '@msg/foundation/clock';

/** How often a holder renews its lock. */
export const RENEWAL_MS = 5_000;
/** Another host's lock that was not renewed for so long is abandoned (dashboard details 12.5). */
const FOREIGN_LOCK_LIFE_MS = 60_000;
/** A live holder renews twice in this time. */
const OBSERVATION_MS = 2 * RENEWAL_MS + 1_000;

interface Sighting {
  readonly mtimeMs: number;
  /** Monotonic time since which the file has looked like this. */
  readonly since: number;
}

/**
 * Watches locks of other hosts. How old one is, is a comparison of wall clocks, and those may be set: a lock is dead only
 * when it is old, and was not renewed while this process looked on.
 */
export class LockWatch {
  readonly clock: Clock;
  readonly #sightings = new Map<string, Sighting>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Whether the lock file, of a process of another host, was left behind. */
  async isDead(path: string): Promise<boolean> {
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined) return false;
    const { mtimeMs } = stats;
    const now = this.clock.monotonic();
    const seen = this.#sightings.get(path);
    if (seen?.mtimeMs !== mtimeMs) {
      this.#sightings.set(path, { mtimeMs, since: now });
      return false;
    }
    // In the future it is as far from a renewal as in the past: a clock was set back.
    const isOld = Math.abs(this.clock.now() - mtimeMs) > FOREIGN_LOCK_LIFE_MS;
    return isOld && now - seen.since >= OBSERVATION_MS;
  }

  /** Drops the observations of a lock that was taken. */
  forget(path: string): void {
    this.#sightings.delete(path);
  }
}
