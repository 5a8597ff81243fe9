import type { Clock } from '@msg/foundation/clock';
import type { StreamPosition } from '../contract.ts';

/** Channels whose positions a thread has at hand; of more, those that it began to follow last. */
const MOST_KNOWN = 10_000;
/** A read prolongs the life of a stream, and for this time, or this part of its life, no other read has to. */
const FRESH_MS = 1000;
const FRESH_PART = 1 / 16;

interface Known {
  /** Null until the read that began it is answered, unless something arrived before. */
  position: StreamPosition | null;
  /** Monotonic time until which it may be used; 0: not yet. */
  freshUntil: number;
}

/**
 * Where the streams of a thread's channels are: what a read answered, and what arrived since then in the order of the
 * stream. So one of many clients that subscribe reads, and the others do not ask main.
 */
export class KnownPositions {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The position of a channel; null: its stream has to be read. */
  get(channel: string): StreamPosition | null {
    const entry = this.#known.get(channel);
    return entry === undefined || this.#clock.monotonic() >= entry.freshUntil ? null : entry.position;
  }

  /** A publication arrived. */
  arrived(channel: string, position: StreamPosition): void {
    const entry = this.#known.get(channel);
    if (entry !== undefined) entry.position = position;
  }

  /** Something arrived that does not say where the stream is, or may have been lost. */
  forget(channel: string): void {
    this.#known.delete(channel);
  }

  forgetAll(): void {
    this.#known.clear();
  }

  /** A read of the stream begins; the caller tells its answer, null for a stream that is not followed. */
  reading(channel: string, metaTtlMs: number): (answer: StreamPosition | null) => void {
    const entry = this.#known.get(channel) ?? this.#follow(channel);
    const before = entry.position;
    const freshUntil = this.#clock.monotonic() + Math.min(FRESH_MS, metaTtlMs * FRESH_PART);
    return answer => {
      if (this.#known.get(channel) !== entry) return; // it was forgotten meanwhile
      const position = answer === null ? null : later(entry.position, before, answer);
      if (position === null) {
        this.#known.delete(channel);
        return;
      }
      entry.position = position;
      entry.freshUntil = Math.max(entry.freshUntil, freshUntil);
    };
  }

  #follow(channel: string): Known {
    if (this.#known.size >= MOST_KNOWN)
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest);
        break;
      }
    const entry = { position: null, freshUntil: 0 };
    this.#known.set(channel, entry);
    return entry;
  }
}

/**
 * Which of two is the later one: what arrived during a read, if anything did since `before`, or its answer. Null: they are of
 * different streams.
 */
function later(
  arrived: StreamPosition | null,
  before: StreamPosition | null,
  answer: StreamPosition,
): StreamPosition | null {
  if (arrived === null || arrived === before) return answer;
  if (arrived.epoch !== answer.epoch) return null;
  return arrived.offset > answer.offset ? arrived : answer;
}
