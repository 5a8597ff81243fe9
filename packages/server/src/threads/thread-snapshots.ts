import type { Clock } from '@msg/foundation/clock';
import type { LoopLag } from './loop-lag.ts';
import { countersOf, type MetricsText, readMetrics, sumMetrics } from './metrics-text.ts';

/** A thread that has not answered after this time is represented by its last figures. */
const WITHIN_MS = 1000;

/** What a thread says of itself. */
export interface ThreadSeries {
  /** Its series in the Prometheus text format. */
  readonly text: string;
  readonly lag: LoopLag | undefined;
  /** Bytes that wait for main, in the ring and beside it. */
  readonly waitingBytes: number;
}

/** A thread whose figures are read at each scrape. */
export interface ReadThread {
  readonly number: number;
  readonly ended: Promise<unknown>;
  series(): Promise<ThreadSeries>;
  /** Undefined where Node.js cannot tell. */
  cpuSeconds(): Promise<number> | undefined;
  /** Undefined where Node.js cannot tell. */
  heapBytes(): Promise<number> | undefined;
}

/** The last figures of one running thread; absent is what it has not told. */
export interface ThreadSnapshot {
  readonly number: number;
  readonly series: MetricsText;
  readonly lag: LoopLag | undefined;
  readonly waitingBytes: number | undefined;
  readonly cpuSeconds: number | undefined;
  readonly heapBytes: number | undefined;
}

/** What the threads of a process have last told; what threads that have ended counted stays. */
export class ThreadSnapshots {
  readonly #clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  readonly #running = new Map<ReadThread, ThreadSnapshot>();
  readonly #cpuOfEnded = new Map<number, number>();
  /** By number. */
  readonly #countersOfEnded = new Map<number, MetricsText>();

  constructor(clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>) {
    this.#clock = clock;
  }

  /** A thread runs. */
  follow(thread: ReadThread): void {
    const { number } = thread;
    const none = { lag: undefined, waitingBytes: undefined, cpuSeconds: undefined, heapBytes: undefined };
    this.#running.set(thread, { number, series: new Map(), ...none });
    void thread.ended.then(() => this.#endedWith(thread));
  }

  /** The running threads. */
  get running(): readonly ThreadSnapshot[] {
    return [...this.#running.values()];
  }

  /**
   * Series by the number of threads, with what ended ones have counted. A sum of fractions depends on the order of its parts: in
   * another one a counter could fall by its last digit, which a scraper takes for a restart.
   */
  get series(): readonly MetricsText[] {
    const sums = new Map(this.#countersOfEnded);
    for (const { number, series } of this.running) {
      const ended = sums.get(number);
      sums.set(number, ended === undefined ? series : sumMetrics(series, [ended]));
    }
    return [...sums].toSorted(([a], [b]) => a - b).map(([, series]) => series);
  }

  /** Seconds of processor time by number, of all threads that had it; without those of which none is known. */
  get cpuSeconds(): ReadonlyMap<number, number> {
    const sums = new Map(this.#cpuOfEnded);
    for (const { number, cpuSeconds } of this.running)
      if (cpuSeconds !== undefined) sums.set(number, cpuSeconds + (sums.get(number) ?? 0));
    return sums;
  }

  /** Asks the threads that serve; resolves when all have answered, or after a second. */
  async read(serves: (number: number) => boolean): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = this.#clock.setTimeout(late.resolve, WITHIN_MS);
    const asked = [...this.#running.keys()].filter(({ number }) => serves(number));
    await Promise.race([Promise.all(asked.map(thread => this.#ask(thread))), late.promise]);
    this.#clock.clearTimeout(timer);
  }

  async #ask(thread: ReadThread): Promise<void> {
    const take = (figures: Partial<ThreadSnapshot>): void => {
      const snapshot = this.#running.get(thread);
      if (snapshot !== undefined) this.#running.set(thread, { ...snapshot, ...figures });
    };
    // A thread that is busy tells its processor time and nothing else.
    await Promise.allSettled([
      thread.series().then(({ text, ...figures }) => take({ series: readMetrics(text), ...figures })),
      thread.cpuSeconds()?.then(cpuSeconds => take({ cpuSeconds })),
      thread.heapBytes()?.then(heapBytes => take({ heapBytes })),
    ]);
  }

  #endedWith(thread: ReadThread): void {
    const last = this.#running.get(thread);
    if (last === undefined) return;
    this.#running.delete(thread);
    const { number, series, cpuSeconds } = last;
    const before = this.#countersOfEnded.get(number);
    const counters = countersOf(series);
    this.#countersOfEnded.set(number, before === undefined ? counters : sumMetrics(counters, [before]));
    if (cpuSeconds !== undefined)
      this.#cpuOfEnded.set(number, cpuSeconds + (this.#cpuOfEnded.get(number) ?? 0));
  }
}

/** Processor time as Node.js tells it, in seconds. */
export function secondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6;
}
