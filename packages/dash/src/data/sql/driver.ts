import type { Socket } from 'node:net';
import type { Json } from '../../document/json.ts';
import { driverMissing } from '../driver-missing.ts';

/** Loaded by name: without such a connection it need not be installed. */
const PACKAGE = 'postgres';

/** What is used of the driver `postgres`. Its own declarations leave out `socket`. */
export type Driver = (options: DriverOptions) => DriverSql;

/** Every option that the driver would else take from the environment, and those that we set. */
export interface DriverOptions {
  /** Opens each socket of the driver. */
  readonly socket: () => Promise<Socket>;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: () => string;
  readonly ssl: false;
  readonly sslnegotiation: null;
  readonly max: 1;
  readonly max_pipeline: number;
  readonly idle_timeout: null;
  readonly max_lifetime: null;
  /** Seconds. */
  readonly connect_timeout: number;
  readonly keep_alive: number;
  readonly prepare: false;
  readonly debug: false;
  readonly fetch_types: false;
  readonly onnotice: () => void;
  readonly connection: { readonly application_name: string };
  readonly types: Readonly<Record<string, DriverType>>;
}

/** How values of a type are sent, and read from their text. */
interface DriverType {
  readonly to: number;
  readonly from: readonly number[];
  readonly serialize: (text: string) => string;
  readonly parse: (text: string) => Json;
}

/** One pool of the driver. */
export interface DriverSql {
  readonly CLOSE: object;
  unsafe(text: string, params: readonly (string | null)[], options: { readonly prepare: false }): DriverQuery;
  end(options: { readonly timeout: number }): Promise<void>;
}

/** A statement, which is sent when it is awaited. */
export interface DriverQuery extends PromiseLike<DriverResult> {
  /** Rows as lists of cells. */
  values(): DriverQuery;
  /** Fetches so many rows and calls back; `CLOSE` asks for no more. */
  cursor(rows: number, onRows: (rows: Json[][]) => object): DriverQuery;
}

/** Rows, and what their columns are. */
type DriverResult = readonly (readonly Json[])[] & {
  readonly columns?: readonly { name: string }[];
  readonly state?: DriverState;
};

/** Process and key of the backend that a connection has. */
export interface DriverState {
  readonly pid: number;
  readonly secret: number;
}

/** @throws DashError QUERY_DRIVER_MISSING, with the command that installs it. */
export async function loadDriver(): Promise<Driver> {
  try {
    const { default: driver } = (await import(PACKAGE)) as { readonly default: Driver };
    return driver;
  } catch (cause) {
    throw driverMissing(cause, 'PostgreSQL', PACKAGE);
  }
}
