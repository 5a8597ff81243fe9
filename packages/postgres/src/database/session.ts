import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { withDeadline } from '@msg/foundation/promises';
import type { PostgresSql } from '../contract.ts';
import { type DriverSql, loadDriver, type ReadOptions } from './driver.ts';
import { Sockets } from './sockets.ts';

type Row = Readonly<Record<string, unknown>>;
export type Param = string | number | boolean | null;

/** Longer than any statement of ours takes; a connection that is silent so long is dead. */
const STATEMENT_MS = 15_000;
const CONNECT_SECONDS = 10;
/** The worker waits by itself; the driver need not. */
const RECONNECT_SECONDS = 0.05;

/** What the instances of the driver that we derive change of an application's options. */
const OWN_OPTIONS = {
  prepare: false,
  fetch_types: false,
  idle_timeout: null,
  max_lifetime: null,
  connect_timeout: CONNECT_SECONDS,
  backoff: () => RECONNECT_SECONDS,
  debug: false,
  onnotice: () => undefined,
  onnotify: undefined,
  onclose: undefined,
  onparameter: undefined,
  // Column names as the statements say.
  transform: { undefined: undefined, column: {}, value: {}, row: {} },
} as const;

/** Thrown when a statement was not answered in time. */
class StatementTimeout extends Error {
  readonly code = 'STATEMENT_TIMEOUT';

  constructor() {
    super('the database did not answer in time');
  }
}

/** What happens to the connections of a session. */
export interface SessionEvents {
  /** A notification of a channel that the session listens to. */
  readonly onNotify?: (payload: string) => void;
  /** A connection was closed. */
  readonly onClose?: () => void;
}

/** Connections of our own to the database of an application's `postgres` instance. */
export class DatabaseSession implements PostgresSql {
  readonly #clock: Clock;
  readonly #sockets: Sockets;
  readonly #sql: DriverSql;
  readonly options: object;

  private constructor(clock: Clock, sockets: Sockets, sql: DriverSql) {
    this.#clock = clock;
    this.#sockets = sockets;
    this.#sql = sql;
    this.options = sql.options;
  }

  /**
   * @param most connections at the same time
   */
  static async open(
    { options }: PostgresSql,
    clock: Clock,
    most: number,
    { onNotify, onClose }: SessionEvents = {},
  ): Promise<DatabaseSession> {
    const driver = await loadDriver();
    const read = options as ReadOptions; // the driver has read them
    const sockets = new Sockets(clock);
    const sql = driver({
      ...read,
      ...OWN_OPTIONS,
      max: most,
      shared: { retries: 0, typeArrayMap: {} },
      // The sockets know the others: the driver itself would try them for ever.
      host: read.host.slice(0, 1),
      port: read.port.slice(0, 1),
      socket: sockets.opener(read),
      ...defined({
        onnotify: onNotify && ((_channel: string, payload: string) => onNotify(payload)),
        onclose: onClose,
      }),
    });
    return new DatabaseSession(clock, sockets, sql);
  }

  /** Runs a statement, which is a transaction by itself. After a silence its connections are replaced. */
  async query(text: string, params: Param[] = []): Promise<readonly Row[]> {
    const rows = this.#sql.unsafe(text, params);
    return withDeadline(this.#clock, STATEMENT_MS, Promise.resolve(rows), () => {
      this.#sockets.destroy();
      throw new StatementTimeout();
    });
  }

  unsafe(text: string, params?: Param[]): Promise<readonly Row[]> {
    return this.query(text, params);
  }

  /** Ends the connections at once. */
  async close(): Promise<void> {
    await this.#sql.end({ timeout: 0 });
    this.#sockets.destroy();
  }
}
