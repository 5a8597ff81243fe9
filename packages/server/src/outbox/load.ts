import { MsgError } from '@msg/core';
import type * as Postgres from '@msg/postgres';

/** Loaded by name: an optional peer, so that an installation without PostgreSQL has no package more. */
const PACKAGE = '@msg/postgres';

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/**
 * Loads the outbox.
 * @throws MsgError MSG_INVALID_ARGUMENT, with the command that installs it, when it is missing
 */
export async function loadOutbox(): Promise<typeof Postgres> {
  try {
    return (await import(PACKAGE)) as typeof Postgres; // the package's own types
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      'outbox.postgres.url needs packages that are not installed: npm install @msg/postgres postgres',
      { cause },
    );
  }
}
