import { eventually, MSG_BIN, ShellProcess } from '@msg/testkit';
import { expect, onTestFinished } from 'vitest';
import type { CliRun } from '../cli-io.ts';
import type { OutboxDatabase } from '../outbox-database.ts';
import type { Claim } from './row.ts';
import type { Stage } from './stage.ts';

interface Own {
  readonly database: OutboxDatabase;
  readonly schema: string;
  /** Runs a command of the outbox to its success. */
  succeed(...words: readonly string[]): Promise<CliRun>;
}

/** An outbox of its own for each row. */
async function own(stage: Stage): Promise<Own> {
  const database = await stage.database();
  const schema = database.schema();
  const succeed = (...words: readonly string[]) =>
    stage.succeed(['outbox', ...words, '--schema', schema], { env: database.env() });
  return { database, schema, succeed };
}

async function migrated(stage: Stage): Promise<Own> {
  const outbox = await own(stage);
  await outbox.succeed('migrate');
  return outbox;
}

const CHANNEL = 'public:stage.outbox';

/** Commands of the PostgreSQL outbox. */
export const outboxRows: Readonly<Record<string, Claim>> = {
  async 'outbox migrate'(stage) {
    const { database, schema, succeed } = await own(stage);
    const { envelope } = await succeed('migrate');
    return async () => {
      const to = Number(database.sql(`SELECT max(number) FROM ${schema}.outbox_migration`));
      expect(envelope?.payload).toEqual({ schema, from: 0, to, alias: false });
      database.publish(schema, CHANNEL, '1');
      expect(database.sql(`SELECT channel FROM ${schema}.outbox`)).toBe(CHANNEL);
    };
  },

  async 'outbox status'(stage) {
    const { database, schema, succeed } = await migrated(stage);
    database.bury(schema, `${CHANNEL}.a`, 'MSG_INVALID_ARGUMENT', 1);
    database.publish(schema, `${CHANNEL}.b`, '1', '2');
    const { envelope } = await succeed('status');
    return async () => {
      const count = (table: string) => Number(database.sql(`SELECT count(*) FROM ${schema}.${table}`));
      expect(envelope?.payload).toMatchObject({
        schema,
        version: count('outbox_migration'),
        rows: count('outbox'),
        dead_rows: count('outbox_dead'),
        leases: 0,
        max_rows: 0,
        held: [],
      });
      expect(envelope?.payload['oldest_seconds']).toBeGreaterThan(0);
    };
  },

  async 'outbox run'(stage) {
    const { database, schema } = await migrated(stage);
    const channel = await stage.opened();
    const listener = await stage.listener(channel);
    const env = { ...database.env(), MSG_SERVER: stage.server.url, MSG_TOKEN: stage.server.token };
    const line = `exec "${process.execPath}" "${MSG_BIN}" outbox run --schema ${schema}`;
    const worker = new ShellProcess(line, { cwd: process.cwd(), env });
    onTestFinished(() => worker.stop());
    await worker.printed('stderr', /outbox: working/);
    database.publish(schema, channel, '1', '2', '3');
    await eventually('all are there', () => listener.publications.length === 3);
    await eventually(
      'the outbox is empty',
      () => database.sql(`SELECT count(*) FROM ${schema}.outbox`) === '0',
    );
    await worker.stop();
    await worker.succeeded();
    return async () => {
      expect(listener.publications.map(({ data }) => data)).toEqual([1, 2, 3]);
      expect(JSON.parse(worker.stdout).payload).toEqual({
        published: 3,
        suppressed: 0,
        takeovers: 0,
        dead: {},
      });
      listener.leave();
    };
  },

  async 'outbox dead list'(stage) {
    const { database, schema, succeed } = await migrated(stage);
    const ids = database.bury(schema, CHANNEL, 'MSG_INVALID_ARGUMENT', 2);
    const { envelope } = await succeed('dead', 'list');
    return async () => {
      const rows = database.sql(`SELECT id, channel, code, key FROM ${schema}.outbox_dead ORDER BY id`);
      const items = (envelope?.payload['items'] ?? []) as Record<string, unknown>[]; // the form of the payload
      expect(items.map(({ id, channel, code, key }) => [id, channel, code, key].join('|'))).toEqual(
        rows.split('\n'),
      );
      expect(items.map(({ id }) => id)).toEqual(ids);
    };
  },

  async 'outbox dead retry'(stage) {
    const { database, schema, succeed } = await migrated(stage);
    const [first = ''] = database.bury(schema, CHANNEL, 'MSG_INVALID_ARGUMENT', 2);
    const key = database.sql(`SELECT key FROM ${schema}.outbox_dead WHERE id = ${first}`);
    const { envelope } = await succeed('dead', 'retry', first);
    return async () => {
      expect(envelope?.payload).toEqual({ retried: 1 });
      expect(database.sql(`SELECT count(*) FROM ${schema}.outbox_dead`)).toBe('1');
      const [id, keyOfRow] = database.sql(`SELECT id, key FROM ${schema}.outbox`).split('|');
      expect(Number(id)).toBeGreaterThan(Number(first));
      expect(keyOfRow).toBe(key);
    };
  },

  async 'outbox dead discard'(stage) {
    const { database, schema, succeed } = await migrated(stage);
    const [, second = ''] = database.bury(schema, CHANNEL, 'MSG_INVALID_ARGUMENT', 2);
    const { envelope } = await succeed('dead', 'discard', second);
    return async () => {
      expect(envelope?.payload).toEqual({ discarded: 1 });
      expect(database.sql(`SELECT id FROM ${schema}.outbox_dead`)).not.toContain(second);
      expect(database.sql(`SELECT count(*) FROM ${schema}.outbox`)).toBe('0');
    };
  },
};
