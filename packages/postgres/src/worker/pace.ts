import type { Clock, Random } from '@msg/foundation/clock';
import { pause, SerialQueue } from '@msg/foundation/promises';
import type { OutboxFailure } from '../contract.ts';
import { backoffMs } from './backoff.ts';
import type { WorkerFigures } from './figures.ts';

export interface PaceParts {
  readonly figures: WorkerFigures;
  readonly clock: Clock;
  readonly random: Random;
  /** Waits for the poll interval, or `ms` milliseconds, or until a transaction commits; whether one woke it. */
  readonly idle: (signal: AbortSignal, ms?: number) => Promise<boolean>;
  /** Asks to be woken; false: it is not needed, or not possible. */
  readonly beforeIdle: () => Promise<boolean>;
}

/**
 * Between two batches, from the second one on: commits that follow each other closely then come together, and need not ring.
 * The first batch after a sleep may be of a lone commit, and the next one rings.
 */
export const LINGER_MS = 20;

/** The same in a busy stream: what a batch costs worker, service and database depends little on the number of its rows. */
export const BUSY_LINGER_MS = 100;
/** A batch of so many rows says that the stream is busy: 250 commits a second begin it, 50 a second keep it up. */
export const BUSY_ROWS = 5;

/** What a look for rows found. */
interface Found {
  readonly rows: readonly unknown[];
  readonly hasMore: boolean;
}

/** When the claimers of a worker look for rows, and how long they wait: one of them at a time looks. */
export class Pace {
  readonly #parts: PaceParts;
  readonly #turns = new SerialQueue();
  /** Failures since the last success. */
  readonly #failures = { database: 0, service: 0 };
  #sinceSleep = 0;
  #mayHaveMore = false;
  #isBusy = false;

  constructor(parts: PaceParts) {
    this.#parts = parts;
  }

  /** Runs `work` when the claimers that asked before have ended theirs. */
  turn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work);
  }

  /** Looks for a batch until there is one; undefined: the signal aborts. To be called in a turn. */
  async next<Batch extends Found>(
    claim: () => Promise<Batch | undefined>,
    signal: AbortSignal,
  ): Promise<Batch | undefined> {
    const lingerMs = this.#isBusy ? BUSY_LINGER_MS : LINGER_MS;
    if (this.#sinceSleep > 1 && !this.#mayHaveMore) await pause(this.#parts.clock, lingerMs, signal);
    while (!signal.aborted) {
      const batch = (await claim()) ?? (await this.#sleep(claim, signal));
      if (batch === undefined) continue;
      this.#sinceSleep++;
      this.#mayHaveMore = batch.hasMore;
      this.#isBusy = batch.rows.length >= BUSY_ROWS;
      return batch;
    }
    return undefined;
  }

  works(where: OutboxFailure['where']): void {
    this.#failures[where] = 0;
    this.#parts.figures.works(where);
  }

  async failed(failure: OutboxFailure, signal: AbortSignal): Promise<void> {
    const { clock, random, figures } = this.#parts;
    const retryMs = backoffMs(this.#failures[failure.where]++, random);
    figures.waiting(failure, retryMs);
    await pause(clock, retryMs, signal);
  }

  /** Sleeps, unless a look that follows the wish to be woken finds a batch. */
  async #sleep<Batch>(
    claim: () => Promise<Batch | undefined>,
    signal: AbortSignal,
  ): Promise<Batch | undefined> {
    const { idle, beforeIdle } = this.#parts;
    // A row that was committed while the worker asked to be woken woke it not.
    const isListening = await beforeIdle();
    const missed = isListening ? await claim() : undefined;
    if (missed !== undefined) return missed;
    const wasAwake = this.#sinceSleep > 0;
    this.#sinceSleep = 0;
    if (isListening && wasAwake) {
      // Nor does a row that was written before the worker asked, in a transaction that commits after it looked.
      if (await idle(signal, LINGER_MS)) return undefined;
      const late = await claim();
      if (late !== undefined) return late;
    }
    await idle(signal);
    return undefined;
  }
}
