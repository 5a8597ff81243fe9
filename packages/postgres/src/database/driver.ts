import type { Socket } from 'node:net';
import { MsgError } from '@msg/core';
import type { PostgresSql } from '../contract.ts';

/** Loaded by name: a program that only publishes need not have it. */
const PACKAGE = 'postgres';

/** A `postgres` instance with what its own declarations leave out. */
export interface DriverSql extends PostgresSql {
  end(options: { readonly timeout: number }): Promise<void>;
}

/** Options of the driver, read once; it takes them back as they are. */
export type ReadOptions = Readonly<Record<string, unknown>> & {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false;
  readonly socket?: (options: unknown) => Promise<Socket> | Socket;
};

export type Driver = (options: Readonly<Record<string, unknown>>) => DriverSql;

/**
 * The driver `postgres`.
 * @throws MsgError MSG_INVALID_ARGUMENT, with the command that installs it
 */
export async function loadDriver(): Promise<Driver> {
  try {
    const { default: driver } = (await import(PACKAGE)) as { readonly default: Driver };
    return driver;
  } catch (cause) {
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      'the package postgres is required for the PostgreSQL outbox: run npm install postgres',
      { cause },
    );
  }
}
