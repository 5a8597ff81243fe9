import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectPostgres, migrate, migrations, type OutboxConnection, outboxStatus } from '#src/index.ts';
import { OutboxDatabase } from '../support/database.ts';

let db: OutboxDatabase;
let other: OutboxConnection;
beforeAll(async () => {
  db = await OutboxDatabase.start();
  other = await connectPostgres({ url: db.url('admin') });
}, 120_000);
afterAll(async () => {
  await other.end({ timeout: 1 });
  await db.stop();
});

const latest = migrations().length;

describe('migrations of the outbox', () => {
  it('have nothing to do the second time', async () => {
    expect(await migrate(db.sql)).toEqual({ from: latest, to: latest });
    for (const { text } of migrations()) await db.sql.unsafe(text);
    expect(await outboxStatus(db.sql)).toMatchObject({ version: latest, latestVersion: latest, rows: 0 });
  });

  it('of two programs one waits for the other', async () => {
    const reports = await Promise.all([
      migrate(db.sql, { schema: 'twice' }),
      migrate(other, { schema: 'twice' }),
    ]);
    expect(reports.map(({ to }) => to)).toEqual([latest, latest]);
    expect(db.server.sql('SELECT count(*) FROM twice.outbox_partition')).toBe('64');
  });

  it('are each one transaction: a failure in the middle leaves the version before', async () => {
    db.server.sql('CREATE SCHEMA half; CREATE TABLE half.outbox_dead (id int)');
    await expect(migrate(db.sql, { schema: 'half' })).rejects.toMatchObject({ code: '42P07' });
    expect(await outboxStatus(db.sql, { schema: 'half' })).toMatchObject({ version: 0 });
    expect(db.server.sql(`SELECT count(*) FROM pg_tables WHERE schemaname = 'half'`)).toBe('1');
    db.server.sql('DROP TABLE half.outbox_dead');
    expect(await migrate(db.sql, { schema: 'half' })).toEqual({ from: 0, to: latest });
  });

  it('refuse a schema that is newer than the program, with both versions', async () => {
    await migrate(db.sql, { schema: 'newer' });
    db.server.sql(`INSERT INTO newer.outbox_migration VALUES (${latest + 1}, 'of the future')`);
    await expect(migrate(db.sql, { schema: 'newer' })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: `the outbox schema "newer" must have at most version ${latest}, which this program knows; got ${latest + 1}`,
    });
    expect(await outboxStatus(db.sql, { schema: 'newer' })).toMatchObject({ version: latest + 1, rows: 0 });
  });

  it('are statements that psql can run', () => {
    db.server.sql(
      migrations({ schema: 'printed' })
        .map(({ text }) => `${text};`)
        .join('\n'),
    );
    expect(db.server.sql('SELECT max(number) FROM printed.outbox_migration')).toBe(String(latest));
  });

  it.each(['Msg', 'a-b', '1a', 'pg_msg', '', 'a"; DROP SCHEMA msg; --', 'a'.repeat(41)])(
    'refuse the schema %j',
    async schema => {
      await expect(migrate(db.sql, { schema })).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    },
  );

  it('make the alias msg_publish on request', async () => {
    await migrate(db.sql, { alias: true });
    await db.app`SELECT msg_publish('public:shop.news', '"by alias"'::jsonb)`;
    expect(await db.rows()).toEqual([{ channel: 'public:shop.news', data: '"by alias"' }]);
    await db.clear();
  });
});
