import { choice, count, optionalCount, path, type Resolved, secret, setting, text } from '@msg/command-line';
import { positiveDuration } from './setting-types.ts';

/** The PostgreSQL outbox of `serve` (app-developers 12.2). */
export const OUTBOX_SETTINGS = {
  outboxUrl: setting(
    'outbox.postgres.url',
    secret,
    '',
    'database with the outbox, postgres://user:password@host:port/database; empty: none. Needs the packages @msg/postgres and postgres',
    { env: 'MSG_OUTBOX_POSTGRES_URL' },
  ),
  outboxSchema: setting('outbox.postgres.schema', text, 'msg', 'schema of the outbox'),
  outboxTls: setting(
    'outbox.postgres.tls',
    choice('auto', 'disable', 'require', 'verify-full'),
    'auto',
    'encryption to the database; auto: none on loopback addresses, else verify-full',
  ),
  outboxCaFile: setting(
    'outbox.postgres.ca_file',
    path,
    '',
    'certificates to trust instead of the system’s, PEM',
  ),
  outboxWorkers: setting(
    'outbox.workers',
    count,
    2,
    'batches of the outbox at the same time, at most 64; more than one while more rows are due',
  ),
  outboxBatch: setting('outbox.batch', count, 500, 'rows of a batch, at most 1000'),
  outboxPoll: setting(
    'outbox.poll_interval',
    positiveDuration,
    500,
    'how often an idle worker looks for rows that no commit told it of',
  ),
  outboxOpenChannels: setting(
    'outbox.open_channels',
    choice('declared', 'auto'),
    'declared',
    'channels that a worker opens for a row: declared ones, or all public ones',
  ),
  outboxWaitForChannel: setting(
    'outbox.wait_for_channel',
    positiveDuration,
    60_000,
    'how long rows wait for a channel that is not open, before they are dead rows',
  ),
  outboxMaxRows: setting(
    'outbox.max_rows',
    optionalCount,
    undefined,
    'msg.publish fails with SQLSTATE 53400 when so many rows wait; 0: unbounded; absent: the bound that the database has stays',
  ),
} as const;

/** Their values. */
export type OutboxSettings = Resolved<typeof OUTBOX_SETTINGS>;
