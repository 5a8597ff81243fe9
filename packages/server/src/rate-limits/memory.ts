import type { Clock } from '@msg/foundation/clock';
import type { RateDecision, RateLimiter } from './contract.ts';
import { capacity, type RateLimit } from './limit.ts';

/** After this number of events the logs of quiet subjects are dropped. */
const PRUNE_EVERY = 4096;

/** Accepted events of one subject by monotonic time, oldest first from `head` on. */
interface Log {
  times: number[];
  head: number;
  windowMs: number;
}

/** The limiter of a single node. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #logs = new Map<string, Log>();
  readonly #clock: Pick<Clock, 'monotonic'>;
  #untilPrune = PRUNE_EVERY;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  async take(
    bucket: string,
    subject: string,
    limits: readonly RateLimit[],
    count: number,
  ): Promise<RateDecision> {
    const now = this.#clock.monotonic();
    const key = `${bucket}:${subject}`;
    const log = this.#logs.get(key) ?? { times: [], head: 0, windowMs: 0 };
    // A subject may use tokens with different limits: the log keeps the longest window.
    log.windowMs = Math.max(log.windowMs, ...limits.map(limit => limit.perMs));
    forget(log, now);
    let accepted = 0;
    let retryAfterMs = waitFor(log, limits, now);
    while (retryAfterMs === 0 && accepted < count) {
      log.times.push(now);
      if (++accepted < count) retryAfterMs = waitFor(log, limits, now);
    }
    if (accepted === 0) return { accepted, retryAfterMs };
    this.#logs.set(key, log);
    this.#untilPrune -= accepted;
    if (this.#untilPrune <= 0) this.#prune(now);
    return { accepted, retryAfterMs };
  }

  #prune(now: number): void {
    this.#untilPrune = PRUNE_EVERY;
    for (const [key, log] of this.#logs) {
      forget(log, now);
      if (log.head === log.times.length) this.#logs.delete(key);
    }
  }
}

/** Milliseconds until every limit allows one more event. */
function waitFor(log: Log, limits: readonly RateLimit[], now: number): number {
  let waitMs = 0;
  for (const limit of limits) {
    // The event that must leave the window before the next is accepted.
    const blocking = log.times[log.times.length - capacity(limit)];
    const isKept = log.times.length - log.head >= capacity(limit);
    if (isKept && blocking !== undefined && blocking > now - limit.perMs) {
      waitMs = Math.max(waitMs, blocking + limit.perMs - now);
    }
  }
  return waitMs;
}

/** Drops events older than the longest window. */
function forget(log: Log, now: number): void {
  while (log.head < log.times.length && (log.times[log.head] ?? 0) <= now - log.windowMs) log.head++;
  if (log.head > 1024 && log.head * 2 > log.times.length) {
    log.times = log.times.slice(log.head);
    log.head = 0;
  }
}
