import type { Clock, Random } from '@msg/foundation/clock';
import { pause, withDeadline } from '@msg/foundation/promises';
import type { PostgresSql } from '../contract.ts';
import { DatabaseSession } from '../database/session.ts';
import type { WorkerFigures } from './figures.ts';

export interface BellParts {
  readonly sql: PostgresSql;
  readonly schema: string;
  /** The worker's connections, which send the checks. */
  readonly session: Pick<DatabaseSession, 'query'>;
  readonly figures: WorkerFigures;
  readonly clock: Clock;
  readonly random: Random;
}

/** What `msg.publish` says; everything else is a check. */
const COMMIT = 'commit';
const CHECK_MS = 10_000;
const ANSWER_MS = 5_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Wakes sleeping workers when a transaction commits. Its listening connection is checked by a notification to itself,
 * because a dead one is as silent as a quiet evening; through a proxy that shares connections none arrives, and the
 * workers poll.
 */
export class Bell {
  readonly #parts: BellParts;
  readonly #sleepers = new Set<() => void>();
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #isListening = false;
  /** Resolves the check that waits for its notification. */
  #answered: (token: string) => void = () => undefined;

  constructor(parts: BellParts) {
    this.#parts = parts;
  }

  /** Notifications arrive. */
  get isListening(): boolean {
    return this.#isListening;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Waits for `ms` milliseconds, or until a transaction commits or the signal aborts; whether it was the commit. */
  async sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    const waking = new AbortController();
    const wake = (): void => waking.abort();
    this.#sleepers.add(wake);
    await pause(this.#parts.clock, ms, AbortSignal.any([signal, waking.signal]));
    this.#sleepers.delete(wake);
    return waking.signal.aborted;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, random, figures } = this.#parts;
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted) {
      const heard = await this.#listen(signal).catch(() => false);
      this.#isListening = false;
      figures.bell('polling');
      if (signal.aborted) return;
      figures.bellWasReplaced();
      waitMs = heard ? FIRST_WAIT_MS : Math.min(waitMs * 2, LONGEST_WAIT_MS);
      await pause(clock, waitMs * (0.5 + random.fraction() / 2), signal);
    }
  }

  /** Listens until the connection is silent or lost; whether notifications had arrived. */
  async #listen(signal: AbortSignal): Promise<boolean> {
    const { sql, schema, clock } = this.#parts;
    const lost = new AbortController();
    const session = await DatabaseSession.open(sql, clock, 1, {
      onNotify: payload => this.#notified(payload),
      onClose: () => lost.abort(),
    });
    const end = AbortSignal.any([signal, lost.signal]);
    let heard = false;
    try {
      await session.query(`LISTEN "${schema}_outbox"`);
      while (!end.aborted && (await this.#check())) {
        heard = true;
        this.#begin();
        await pause(clock, CHECK_MS, end);
      }
      return heard;
    } finally {
      await session.close();
    }
  }

  /** A worker that fell asleep before could not ask to be woken: it looks again, and asks. */
  #begin(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#parts.figures.bell('listening');
    this.#wake();
  }

  /** Sends a notification; whether it arrived. */
  async #check(): Promise<boolean> {
    const { clock, random, schema, session } = this.#parts;
    const token = random.uuid();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#answered = answer => answer === token && resolve(true);
    await session.query('SELECT pg_catalog.pg_notify($1::text, $2::text)', [`${schema}_outbox`, token]);
    return withDeadline(clock, ANSWER_MS, promise, () => false);
  }

  #notified(payload: string): void {
    if (payload === COMMIT) this.#wake();
    else this.#answered(payload);
  }

  #wake(): void {
    for (const wake of this.#sleepers) wake();
  }
}
