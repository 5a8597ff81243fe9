import type { Socket } from 'node:net';
import type { Json } from '../../document/json.ts';
import { DashError } from '../../errors.ts';
import type { DataRows } from '../contract.ts';
import { CONNECT_MS, dialSocket } from '../dial/socket.ts';
import type { SourceTools } from '../source.ts';
import type { SqlAddress } from './address.ts';
import { cancelStatement } from './cancel.ts';
import { CELL_READERS } from './cells.ts';
import type { Driver, DriverOptions, DriverQuery, DriverSql, DriverState } from './driver.ts';
import { encrypted } from './encryption.ts';
import { rowsOf } from './rows.ts';

/** Bytes of an answer, as they come from the server. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Bounds and names of a transaction, and whether its role could do everything. One statement, all of it parameters. */
const SETTINGS = `SELECT
  pg_catalog.set_config('statement_timeout', $1, true), pg_catalog.set_config('lock_timeout', $1, true),
  pg_catalog.set_config('idle_in_transaction_session_timeout', $2, true),
  pg_catalog.set_config('search_path', coalesce($3, pg_catalog.current_setting('search_path')), true),
  pg_catalog.set_config('TimeZone', 'UTC', true), pg_catalog.set_config('DateStyle', 'ISO, YMD', true),
  pg_catalog.set_config('bytea_output', 'hex', true),
  EXISTS (SELECT FROM pg_catalog.pg_roles
    WHERE rolsuper AND pg_catalog.pg_has_role(session_user, oid, 'MEMBER'))::text`;

/** One statement, and its bounds. */
export interface SqlQuestion {
  readonly text: string;
  /** Values of `$1`, `$2`, … as text; the server knows their types. */
  readonly params: readonly (string | null)[];
  readonly statementTimeoutMs: number;
  readonly timeoutMs: number;
  readonly maxRows: number;
  readonly searchPath: string | undefined;
}

/**
 * One connection to a database: each question is a transaction that only reads and is always rolled back, and leaves
 * nothing behind. Whatever does not end well ends the connection.
 */
export class SqlSession {
  readonly #sql: DriverSql;
  readonly #tools: SourceTools;
  readonly #address: SqlAddress;
  #socket: Socket | undefined;
  #backend: DriverState | undefined;
  #bytes = 0;
  #isInTransaction = false;
  #isTooLarge = false;
  #hasEnded = false;

  constructor(driver: Driver, tools: SourceTools, address: SqlAddress, password: string | undefined) {
    this.#tools = tools;
    this.#address = address;
    this.#sql = driver(this.#options(address, password));
  }

  /** True when it cannot be asked any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * The rows of a statement.
   * @param signal aborts when they are not waited for any more: the server ends the statement.
   * @throws DashError QUERY_*; what the driver throws.
   */
  async ask(question: SqlQuestion, signal: AbortSignal): Promise<DataRows> {
    this.#bytes = 0;
    this.#isInTransaction = false;
    const leave = (): void => void this.#abandon();
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      const rows = await this.#transaction(question);
      await this.#leaveClean();
      return rows;
    } catch (error) {
      if (isOfServer(error) && this.#isInTransaction) await this.#leaveClean();
      else await this.end();
      throw this.#isTooLarge ? tooLarge() : error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Ends the connection at once. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#socket?.destroy();
    await this.#sql.end({ timeout: 0 });
  }

  async #transaction({ text, params, maxRows, searchPath, ...limits }: SqlQuestion): Promise<DataRows> {
    const { state } = await this.#run('BEGIN TRANSACTION READ ONLY', []);
    this.#backend = state;
    this.#isInTransaction = true;
    const [statement, whole] = [limits.statementTimeoutMs, limits.timeoutMs].map(String);
    const [settings] = await this.#run(SETTINGS, [statement ?? '', whole ?? '', searchPath ?? null]).values();
    if (settings?.at(-1) === 'true') throw roleForbidden();
    const query = this.#run(text, params).values();
    let fetched: readonly (readonly Json[])[] = [];
    // One row too many tells that there are more; what is not fetched is not computed.
    const ended = await query.cursor(maxRows + 1, rows => {
      fetched = rows;
      return this.#sql.CLOSE;
    });
    return rowsOf(ended.columns ?? [], fetched, maxRows);
  }

  #run(text: string, params: readonly (string | null)[]): DriverQuery {
    if (this.#hasEnded) throw new Error('the connection was closed');
    return this.#sql.unsafe(text, params, { prepare: false });
  }

  /** After these no lock, setting or temporary table of the session stays; where they fail, the session does not. */
  async #leaveClean(): Promise<void> {
    try {
      await this.#run('ROLLBACK', []);
      await this.#run('DISCARD ALL', []);
    } catch {
      await this.end();
    }
  }

  /** Asks the server to end the statement: a backend does not notice that its client has left. */
  async #abandon(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    try {
      if (this.#backend !== undefined) await cancelStatement(this.#tools, this.#address, this.#backend);
    } catch {
      // the server ends it by its own clock
    }
    await this.end();
  }

  /** The one socket of the session: the driver would dial again and again. */
  async #dial(): Promise<Socket> {
    if (this.#socket !== undefined || this.#hasEnded) throw new Error('the connection was closed');
    const socket = await dialSocket(this.#tools, this.#address.origin, plain =>
      encrypted(plain, this.#address),
    );
    if (this.#hasEnded) {
      socket.destroy();
      throw new Error('the connection was closed');
    }
    this.#socket = socket;
    socket.on('data', chunk => this.#count(chunk.length));
    socket.once('close', () => {
      this.#hasEnded = true;
    });
    return socket;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MOST_BYTES) return;
    this.#isTooLarge = true;
    this.#socket?.destroy(new Error('the answer is too large'));
  }

  #options({ user, database }: SqlAddress, password: string | undefined): DriverOptions {
    return {
      socket: () => this.#dial(),
      host: 'database',
      port: 5432,
      user,
      database,
      // A function, because the driver would take a missing password from the environment.
      password: () => password ?? '',
      ssl: false, // it is the socket that is encrypted
      sslnegotiation: null,
      max: 1,
      max_pipeline: 1,
      keep_alive: 60,
      idle_timeout: null,
      max_lifetime: null,
      connect_timeout: CONNECT_MS / 1_000,
      prepare: false,
      debug: false,
      fetch_types: false,
      onnotice: () => undefined,
      connection: { application_name: 'dash' },
      types: cellTypes,
    };
  }
}

const cellTypes = Object.fromEntries(
  [...CELL_READERS].map(([type, parse]) => [
    `of${type}`,
    { to: type, from: [type], serialize: (text: string) => text, parse },
  ]),
);

function isOfServer(error: unknown): boolean {
  return error instanceof Error && error.name === 'PostgresError';
}

function roleForbidden(): DashError {
  const message =
    'The role of the connection is a superuser, or may become one; use a role that only reads what it needs.';
  return new DashError('QUERY_ROLE_FORBIDDEN', message, {});
}

function tooLarge(): DashError {
  const most = MOST_BYTES / 1024 / 1024;
  const message = `The answer must be at most ${most} MiB; ask for fewer rows or columns.`;
  return new DashError('QUERY_TOO_LARGE', message, { bytes: MOST_BYTES });
}
