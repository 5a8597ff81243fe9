import { MsgError } from '@msg/core';
import type { Clock, Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type {
  OutboxConnection,
  OutboxEvent,
  OutboxPublisher,
  OutboxStats,
  OutboxWorker,
} from '@msg/postgres';
import type { Logger } from '../observability/logger.ts';
import type { SubsystemState } from '../stores/subsystem-state.ts';
import { loadOutbox } from './load.ts';
import type { OutboxOptions } from './options.ts';

/** What the outbox uses of the service. */
export interface OutboxParts {
  readonly msg: OutboxPublisher;
  /** Opens a channel for a row; absent: the worker opens none. */
  readonly openChannel?: (name: string) => Promise<unknown>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

/** The worker of a service, with its connection. */
export class Outbox {
  readonly #worker: OutboxWorker;
  readonly #sql: OutboxConnection;

  private constructor(worker: OutboxWorker, sql: OutboxConnection) {
    this.#worker = worker;
    this.#sql = sql;
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT for bad options and packages that are not installed */
  static async open({ url, tls, ca, ...options }: OutboxOptions, parts: OutboxParts): Promise<Outbox> {
    const { connectPostgres, OutboxWorker } = await loadOutbox();
    const sql = await connectPostgres({ url, ...defined({ tls, ca }) });
    const onEvent = (event: OutboxEvent): void => logEvent(parts.logger, event);
    const { openChannels: _, ...settings } = options;
    const worker = named(() => new OutboxWorker({ ...settings, ...parts, sql, onEvent }));
    return new Outbox(worker, sql);
  }

  start(): void {
    this.#worker.start();
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
    await this.#sql.end({ timeout: 1 });
  }

  stats(): OutboxStats {
    return this.#worker.stats();
  }

  /** The figures of the worker, for metrics. */
  figures(): OutboxStats & { readonly isUp: boolean } {
    const stats = this.#worker.stats();
    return { ...stats, isUp: stats.failure?.where !== 'database' };
  }

  /** Always ok: delivery works while the outbox waits. */
  health(): SubsystemState {
    const { state, failure } = this.#worker.stats();
    return {
      ok: true,
      detail: failure === undefined ? state : `${state} for the ${failure.where}: ${failure.code}`,
    };
  }
}

/** Names the group of the option in the error of a bad one. */
function named<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof MsgError)) throw error;
    throw new MsgError(error.code, `outbox.${error.message}`);
  }
}

/** One record for each event; never the address of the database. */
function logEvent(logger: Logger, { type, ...fields }: OutboxEvent): void {
  const isBad = type === 'waiting' || type === 'dead';
  logger[isBad ? 'warn' : 'info'](fields, `outbox: ${type}`);
}
