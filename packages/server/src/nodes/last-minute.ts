import type { Clock, TimerHandle } from '@msg/foundation/clock';
import type { Minute, NamedTotals, NodeTotals, Outcomes } from './totals.ts';

const SAMPLE_MS = 2000;
const LEAST_MS = 1000;
/** One sample more than two-second steps of a minute. */
const SAMPLES = 31;
/** Sampling ends so long after the last question. */
const IDLE_MS = 60_000;

/** What is read of the process. */
export interface ProcessFigures {
  /** Begins, or ends, to measure the event loop. */
  watch(on: boolean): void;
  /** The 99th percentile of the event loop's lateness since the last call, milliseconds. */
  lag(): number;
  /** Milliseconds of processor time since the start. */
  cpuMs(): number;
}

interface Sample {
  readonly at: number;
  readonly totals: NodeTotals;
  readonly named: NamedTotals;
  readonly lagMs: number;
  readonly cpuMs: number;
}

export interface LastMinuteParts {
  readonly clock: Pick<Clock, 'monotonic' | 'setTimeout' | 'clearTimeout'>;
  readonly totals: () => NodeTotals;
  readonly named: () => NamedTotals;
  readonly figures: ProcessFigures;
}

/**
 * Samples of the last minute, every two seconds while questions come. Source: console, section 7.5.
 */
export class LastMinute {
  readonly #parts: LastMinuteParts;
  /** The oldest first; at most {@link SAMPLES}. */
  #samples: Sample[] = [];
  #askedAt = 0;
  #timer: TimerHandle | undefined;

  constructor(parts: LastMinuteParts) {
    this.#parts = parts;
  }

  /** What happened since the oldest sample; the first call begins the sampling. */
  look(): Minute {
    const { clock, figures } = this.#parts;
    this.#askedAt = clock.monotonic();
    if (this.#timer === undefined) {
      figures.watch(true);
      this.#take();
      this.#arm();
    }
    return this.#minute();
  }

  /** Ends the sampling. */
  stop(): void {
    if (this.#timer === undefined) return;
    this.#parts.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#parts.figures.watch(false);
    this.#samples = [];
  }

  #arm(): void {
    const { clock } = this.#parts;
    this.#timer = clock.setTimeout(() => {
      if (clock.monotonic() - this.#askedAt > IDLE_MS) {
        this.stop();
        return;
      }
      this.#take();
      this.#arm();
    }, SAMPLE_MS);
  }

  #take(): void {
    const { clock, totals, named, figures } = this.#parts;
    this.#samples.push({
      at: clock.monotonic(),
      totals: totals(),
      named: named(),
      lagMs: figures.lag(),
      cpuMs: figures.cpuMs(),
    });
    if (this.#samples.length > SAMPLES) this.#samples.shift();
  }

  #minute(): Minute {
    const { clock, totals, named, figures } = this.#parts;
    const [first] = this.#samples;
    const now = totals();
    const ofNames = named();
    const sinceMs = first === undefined ? 0 : clock.monotonic() - first.at;
    // A rate over a moment says nothing.
    const elapsedMs = sinceMs < LEAST_MS ? 0 : sinceMs;
    return {
      seconds: elapsedMs / 1000,
      counted: difference(now, first?.totals ?? now),
      named: {
        limits: outcomesSince(ofNames.limits, (first?.named ?? ofNames).limits),
        sinks: outcomesSince(ofNames.sinks, (first?.named ?? ofNames).sinks),
      },
      lagMs: this.#samples.reduce((worst, { lagMs }) => Math.max(worst, lagMs), 0),
      cpuPercent: elapsedMs === 0 ? 0 : ((figures.cpuMs() - (first?.cpuMs ?? 0)) / elapsedMs) * 100,
    };
  }
}

function outcomesSince(
  later: NamedTotals['limits'],
  earlier: NamedTotals['limits'],
): ReadonlyMap<string, Outcomes> {
  return new Map(
    Array.from(later, ([name, [good, bad]]) => {
      const [goodBefore, badBefore] = earlier.get(name) ?? [0, 0];
      return [name, [good - goodBefore, bad - badBefore]] as const;
    }),
  );
}

function difference(later: NodeTotals, earlier: NodeTotals): NodeTotals {
  const entries = Object.entries(later).map(([name, count]) => [
    name,
    count - earlier[name as keyof NodeTotals],
  ]);
  return Object.fromEntries(entries) as unknown as NodeTotals; // the same names
}
