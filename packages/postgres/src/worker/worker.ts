import { MsgError } from '@msg/core';
import { systemClock, systemRandom } from '@msg/foundation/clock';
import { pause, withDeadline } from '@msg/foundation/promises';
import type { OutboxStats } from '../contract.ts';
import { DatabaseSession } from '../database/session.ts';
import { requireMigrated } from '../schema/migrate.ts';
import { inSchema, schemaName } from '../schema/name.ts';
import { queryJson } from '../schema/values.ts';
import { DatabaseStore } from '../store/database-store.ts';
import { COUNT, type OutboxCount } from '../store/status.ts';
import { backoffMs } from './backoff.ts';
import { Bell } from './bell.ts';
import { Claimer } from './claimer.ts';
import { failureOfDatabase } from './database-failure.ts';
import { WorkerFigures } from './figures.ts';
import type { OutboxWorkerOptions } from './options.ts';
import { Pace } from './pace.ts';

type Settings = Required<Omit<OutboxWorkerOptions, 'openChannel' | 'maxRows' | 'onEvent'>> &
  Pick<OutboxWorkerOptions, 'openChannel' | 'maxRows'>;

const COUNT_MS = 15_000;
/** A request that is under way may take so long when the worker stops; after it the rows are published again. */
const STOP_MS = 5_000;
const SLEEP = 'SELECT {schema}.outbox_sleep()';
const BOUND =
  'UPDATE {schema}.outbox_state SET max_rows = $1::text::bigint WHERE max_rows <> $1::text::bigint';

/**
 * Publishes the rows of an outbox: exactly once into the streams of channels with history, in the order of each channel.
 * Any number of workers may run for one outbox, in any number of processes. Source: app-developers 12.2.
 */
export class OutboxWorker {
  readonly #settings: Settings;
  readonly #figures: WorkerFigures;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #session: DatabaseSession | undefined;

  /** @throws MsgError MSG_INVALID_ARGUMENT for a number outside its bounds, or a schema that is not a plain name */
  constructor(options: OutboxWorkerOptions) {
    this.#settings = settingsOf(options);
    this.#figures = new WorkerFigures(options.onEvent ?? (() => undefined));
  }

  /** Begins to publish. Until the database can be reached, and its schema has been migrated, the worker waits. */
  start(): void {
    this.#running ??= this.#run(this.#stop.signal);
  }

  /** Ends after the batch at hand, which takes at most 5 s. Safe to call again. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const late = (): Promise<void> | undefined => this.#session?.close();
    await withDeadline(this.#settings.clock, STOP_MS, this.#running ?? Promise.resolve(), late);
  }

  /** What the worker does and has done. */
  stats(): OutboxStats {
    return this.#figures.stats(this.#running !== undefined && !this.#stop.signal.aborted);
  }

  /** Whether the worker lately published into the channel; it remembers 10,000 channels. */
  hasPublishedInto(channel: string): boolean {
    return this.#figures.hasPublishedInto(channel);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { sql, clock, workers } = this.#settings;
    const session = await this.#open(() => DatabaseSession.open(sql, clock, workers + 1), signal);
    if (session === undefined) return;
    this.#session = session;
    const bell = this.#bell(session);
    try {
      await this.#open(() => this.#prepare(session), signal);
      if (this.#settings.bell) bell.start();
      const pace = this.#pace(session, bell);
      const claimers = Array.from({ length: workers }, () => this.#claimer(session, pace).run(signal));
      await Promise.all([...claimers, this.#count(session, signal)]);
    } finally {
      await bell.stop();
      await session.close();
    }
  }

  /** Repeats until it succeeds; undefined when the worker stops before. */
  async #open<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const { clock, random } = this.#settings;
    for (let attempts = 0; !signal.aborted; attempts++) {
      try {
        const result = await work();
        this.#figures.works('database');
        return result;
      } catch (error) {
        const retryMs = backoffMs(attempts, random);
        this.#figures.waiting(failureOfDatabase(error), retryMs);
        await pause(clock, retryMs, signal);
      }
    }
    return undefined;
  }

  async #prepare(session: DatabaseSession): Promise<void> {
    const { schema, maxRows } = this.#settings;
    await requireMigrated(session, { schema });
    if (maxRows !== undefined) await session.query(inSchema(BOUND, schema), [String(maxRows)]);
  }

  #bell(session: DatabaseSession): Bell {
    const { sql, schema, clock, random } = this.#settings;
    return new Bell({ sql, schema, session, figures: this.#figures, clock, random });
  }

  #pace(session: DatabaseSession, bell: Bell): Pace {
    const { schema, pollIntervalMs, clock, random } = this.#settings;
    const sleep = inSchema(SLEEP, schema);
    return new Pace({
      figures: this.#figures,
      clock,
      random,
      idle: (signal, ms = pollIntervalMs * (0.75 + random.fraction() / 4)) => bell.sleep(ms, signal),
      async beforeIdle() {
        if (!bell.isListening) return false;
        await session.query(sleep);
        return true;
      },
    });
  }

  #claimer(session: DatabaseSession, pace: Pace): Claimer {
    const { schema, batch, openChannel } = this.#settings;
    return new Claimer({
      ...this.#settings,
      openChannel,
      store: new DatabaseStore(session, schema),
      rows: batch,
      figures: this.#figures,
      pace,
    });
  }

  async #count(session: DatabaseSession, signal: AbortSignal): Promise<void> {
    const { schema, clock } = this.#settings;
    const text = inSchema(COUNT, schema);
    while (!signal.aborted) {
      // A database that fails is reported by those who claim.
      const count = await queryJson(session, text).catch(() => undefined);
      if (count !== undefined) this.#figures.counted(count as OutboxCount); // by the statement
      await pause(clock, COUNT_MS, signal);
    }
  }
}

function settingsOf({ onEvent: _, ...options }: OutboxWorkerOptions): Settings {
  const { workers = 2, batch = 500, pollIntervalMs = 500, waitForChannelMs = 60_000, maxRows = 0 } = options;
  requireInteger('workers', workers, 1, 64);
  requireInteger('batch', batch, 1, 1000);
  requireInteger('pollIntervalMs', pollIntervalMs, 10, 600_000);
  requireInteger('waitForChannelMs', waitForChannelMs, 0, 86_400_000);
  requireInteger('maxRows', maxRows, 0, Number.MAX_SAFE_INTEGER);
  return {
    bell: true,
    clock: systemClock,
    random: systemRandom,
    ...options,
    schema: schemaName(options),
    workers,
    batch,
    pollIntervalMs,
    waitForChannelMs,
  };
}

function requireInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `${name} must be an integer from ${least} to ${most}; got ${String(value)}`,
  );
}
