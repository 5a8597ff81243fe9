import { MsgError } from '@msg/core';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { errorFields, type Logger, originalFields } from '../observability/logger.ts';

/** Every cause of the end of a thread. */
export const THREAD_END_CAUSES = ['error', 'memory', 'stuck', 'link'] as const;

/** Why a thread ended. */
export type ThreadEndCause = (typeof THREAD_END_CAUSES)[number];

/** How a thread ended. */
export interface ThreadEnd {
  readonly cause: ThreadEndCause;
  readonly error?: unknown;
}

/** One running thread. */
export interface SupervisedThread {
  /** Resolves when it serves; never rejects. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended and main has put right what it held; never rejects. */
  readonly ended: Promise<ThreadEnd>;
  /** Beats of its heart so far; they wrap. */
  readonly beats: number;
  terminate(cause: ThreadEndCause): void;
}

/** What supervises the threads of a process. */
export interface SupervisorOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly threads: number;
  start(number: number): SupervisedThread;
  /** False while a debugger may hold a thread. */
  watches(): boolean;
  /** No thread has served for 30 s. */
  onNone(last: ThreadEnd | undefined): void;
}

/** What is known of one number. */
interface Place {
  readonly number: number;
  thread: SupervisedThread | undefined;
  isReady: boolean;
  readyAt: number;
  deaths: number;
  /** Its threads that ended while the process ran, by cause. */
  readonly restarts: Map<ThreadEndCause, number>;
  /** How its last thread ended. */
  last: ThreadEnd | undefined;
  beats: number;
  /** Ticks of main since its last beat. */
  silentTicks: number;
  timer: TimerHandle | null;
}

/** A heart beats, and main looks, once in this time. */
export const BEAT_MS = 250;
/** A thread that is silent for as many ticks, 750 ms, is not given connections while another one is not. */
const LATE_TICKS = 3;
const WARNING_TICKS = 40;
const STUCK_TICKS = 120;
const START_MS = 10_000;
const NONE_MS = 30_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A thread that served for so long counts as sound. */
const SOUND_MS = 60_000;

/**
 * Starts the threads, starts each again that ends, and ends those that are stuck (threads 7). Time is counted in ticks of
 * main: a process that was stopped as a whole ends none.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #places: readonly Place[];
  readonly #allServe = Promise.withResolvers<void>();
  #last: ThreadEnd | undefined;
  #tick: TimerHandle | null = null;
  #none: TimerHandle | null = null;
  #isStopped = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#places = Array.from({ length: options.threads }, (_, index) => ({
      number: index + 1,
      thread: undefined,
      isReady: false,
      readyAt: 0,
      deaths: 0,
      restarts: new Map(),
      last: undefined,
      beats: 0,
      silentTicks: 0,
      timer: null,
    }));
  }

  /** Threads that serve. */
  get up(): number {
    return this.#places.filter(({ isReady }) => isReady).length;
  }

  isUp(number: number): boolean {
    return this.#places[number - 1]?.isReady ?? false;
  }

  /** Threads of a number that ended while the process ran, by cause. */
  restartsOf(number: number): ReadonlyMap<ThreadEndCause, number> {
    return this.#places[number - 1]?.restarts ?? new Map();
  }

  /** Numbers of the threads that serve and are not late; of those that are late when all are, but not of silent ones. */
  placeable(): readonly number[] {
    const up = this.#places.filter(({ isReady, silentTicks }) => isReady && silentTicks < WARNING_TICKS);
    const prompt = up.filter(({ silentTicks }) => silentTicks < LATE_TICKS);
    return (prompt.length > 0 ? prompt : up).map(({ number }) => number);
  }

  /**
   * Starts all threads; one that ends is started again. Resolves when all serve, or after 10 s if one serves.
   * @throws MsgError MSG_BROKER_INTERNAL with the errors of the threads when none serves after 10 s
   */
  async start(): Promise<void> {
    for (const place of this.#places) this.#startAt(place);
    this.#look();
    await this.#within(START_MS, this.#allServe.promise);
    if (this.up === 0) throw noneStarted(this.#places);
    if (this.up < this.#places.length)
      this.#options.logger.warn(
        { up: this.up, threads: this.#places.length },
        'not all threads have started',
      );
  }

  /** Starts none any more; the threads that run are ended by others. */
  stop(): void {
    this.#isStopped = true;
    const { clock } = this.#options;
    for (const timer of [this.#tick, this.#none, ...this.#places.map(place => place.timer)])
      if (timer !== null) clock.clearTimeout(timer);
  }

  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    const { clock } = this.#options;
    const late = Promise.withResolvers<void>();
    const timer = clock.setTimeout(late.resolve, ms, true);
    await Promise.race([work, late.promise]);
    clock.clearTimeout(timer);
  }

  #startAt(place: Place): void {
    place.timer = null;
    if (this.#isStopped) return;
    const thread = this.#options.start(place.number);
    Object.assign(place, { thread, isReady: false, beats: thread.beats, silentTicks: 0 });
    void thread.ready.then(() => {
      if (place.thread !== thread) return;
      place.isReady = true;
      place.readyAt = this.#options.clock.monotonic();
      if (this.up === this.#places.length) this.#allServe.resolve();
      this.#lookForNone();
    });
    void thread.ended.then(end => this.#endedAt(place, end));
  }

  #endedAt(place: Place, end: ThreadEnd): void {
    const { clock, logger } = this.#options;
    const wasSound = place.isReady && clock.monotonic() - place.readyAt >= SOUND_MS;
    place.thread = undefined;
    place.isReady = false;
    if (this.#isStopped) return;
    this.#last = end;
    place.last = end;
    place.restarts.set(end.cause, (place.restarts.get(end.cause) ?? 0) + 1);
    place.deaths = wasSound ? 1 : place.deaths + 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (place.deaths - 1), LONGEST_PAUSE_MS);
    const fields = end.error === undefined ? {} : originalFields(end.error);
    logger.error(
      { thread: place.number, cause: end.cause, restart_ms: pause, ...fields },
      'a thread has ended and is started again',
    );
    place.timer = clock.setTimeout(() => this.#startAt(place), pause, true);
    this.#lookForNone();
  }

  #lookForNone(): void {
    const { clock, onNone } = this.#options;
    if (this.up > 0) {
      if (this.#none !== null) clock.clearTimeout(this.#none);
      this.#none = null;
    } else this.#none ??= clock.setTimeout(() => onNone(this.#last), NONE_MS, true);
  }

  #look(): void {
    this.#tick = this.#options.clock.setTimeout(() => {
      const watches = this.#options.watches();
      for (const place of this.#places) this.#lookAt(place, watches);
      if (!this.#isStopped) this.#look();
    }, BEAT_MS);
  }

  #lookAt(place: Place, watches: boolean): void {
    const { thread, number } = place;
    if (thread === undefined) return;
    const { beats } = thread;
    place.silentTicks = beats === place.beats ? place.silentTicks + 1 : 0;
    place.beats = beats;
    if (!watches) return;
    if (place.silentTicks === WARNING_TICKS)
      this.#options.logger.warn({ thread: number }, 'a thread has been silent for 10 s');
    if (place.silentTicks === STUCK_TICKS) thread.terminate('stuck');
  }
}

/** Says of each thread why it does not serve. */
function noneStarted(places: readonly Place[]): MsgError {
  const errors = places.flatMap(({ last }) => (last?.error === undefined ? [] : [last.error]));
  const reasons = places.map(({ number, last }) => `thread ${number}: ${reasonOf(last)}`);
  const text = `no thread has started within ${START_MS / 1000} s; ${reasons.join('; ')}`;
  return new MsgError('MSG_BROKER_INTERNAL', text, { cause: new AggregateError(errors, text) });
}

function reasonOf(end: ThreadEnd | undefined): string {
  if (end === undefined) return 'it is still starting';
  const { error } = errorFields(end.error);
  return end.cause === 'error' ? String(error) : `${end.cause}: ${String(error)}`;
}
