import { isMsgError, MsgError, type Situation } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type * as Postgres from '@msg/postgres';
import type { OutboxSettings } from '../../config/outbox-settings.ts';
import { loadOutbox } from '../../outbox/load.ts';
import { connectionOptions } from '../../service/outbox-options.ts';

/** What a command works with: the package of the outbox, its database, and the schema there. */
export interface OutboxDatabase {
  readonly postgres: typeof Postgres;
  readonly sql: Postgres.OutboxConnection;
  readonly schema: string;
}

/** Codes of the database and of connections to it. */
const CODE = /^[A-Z0-9_]{1,40}$/;
/** The role or its password is refused, or what it may do is. */
const IS_REFUSED = /^(?:28|42501$)/;
/** Tables and functions of another version, or of none. */
const IS_OLD = /^(?:3F000|42P01|42883|42703)$/;
/** Classes of SQLSTATEs of a database that works: what it says is about the statement. */
const IS_OF_STATEMENT = /^(?:[12][0-9]|3[0-9]|4[0-9]|XX)[0-9A-Z]{3}$/;

const seconds = 1;

/**
 * Works on the database of an outbox and ends the connection. No error has a part of the address.
 * @throws MsgError MSG_INVALID_ARGUMENT, MSG_AUTH_DENIED for a role that may not, MSG_BROKER_NOT_READY while the database
 * is away
 */
export async function withDatabase<T>(
  settings: OutboxSettings,
  work: (database: OutboxDatabase) => Promise<T>,
): Promise<T> {
  const postgres = await loadOutbox();
  const sql = await postgres.connectPostgres(await connectionOptions(settings));
  try {
    return await work({ postgres, sql, schema: settings.outboxSchema });
  } catch (error) {
    throw failureOf(error, settings.outboxSchema);
  } finally {
    await sql.end({ timeout: seconds });
  }
}

function failureOf(error: unknown, schema: string): MsgError {
  if (isMsgError(error)) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // Another text may be part of an address.
  const reason = CODE.test(code) ? code : 'UNKNOWN';
  if (IS_REFUSED.test(code)) {
    return coded('MSG_AUTH_DENIED', `the database of the outbox refuses the role: ${reason}`, {
      name: 'outboxRole',
    });
  }
  if (IS_OLD.test(code)) {
    const text = `the outbox schema "${schema}" does not exist, or is of another version: ${reason}`;
    return coded('MSG_INVALID_ARGUMENT', text, { name: 'outboxSchema' });
  }
  if (IS_OF_STATEMENT.test(code))
    return coded('MSG_INTERNAL', `the database of the outbox failed with ${reason}`);
  return coded('MSG_BROKER_NOT_READY', `the database of the outbox cannot be reached: ${reason}`, {
    name: 'outboxAway',
  });
}

/** The driver's errors hold the statement and its values: they do not become a cause. */
function coded(code: MsgError['code'], text: string, situation?: Situation): MsgError {
  return new MsgError(code, text, defined({ situation }));
}
