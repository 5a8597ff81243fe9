import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as drizzleOutbox from '#src/drizzle.ts';
import * as pgOutbox from '#src/pg.ts';
import * as postgresOutbox from '#src/postgres-js.ts';
import { ADAPTER_NAMES, namesOf, type Printed, SINK, VALUE } from '../support/adapters.ts';
import { OutboxDatabase } from '../support/database.ts';

const PROGRAM = join(import.meta.dirname, '../support/adapters-program.ts');

let db: OutboxDatabase;
let printed: Printed;
beforeAll(async () => {
  db = await OutboxDatabase.start();
  const flags = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, PROGRAM, db.url('app')]);
  printed = JSON.parse(stdout) as Printed; // of our program
}, 120_000);
afterAll(() => db.stop());

const hex = (text: string) => Buffer.from(text).toString('hex');

/** Rows of channels whose names begin so, in the order in which they were written. */
const rowsOf = (...names: readonly string[]) =>
  db.sql.unsafe(
    `SELECT key, kind, channel, encode(data, 'hex') AS data, tags::text, options::text
      FROM msg.outbox WHERE channel = ANY ($1::text::text[]) ORDER BY id`,
    [`{${names.join(',')}}`],
  );

describe.each(ADAPTER_NAMES)('%s', adapter => {
  const { order, broadcast, rolledBack } = namesOf(adapter);

  it('publishes JSON as its text, bytes as they are, with tags and options', async () => {
    const rows = await rowsOf(order);
    expect(rows[0]).toEqual({
      key: printed.adapters[adapter]?.key,
      kind: 'publish',
      channel: order,
      data: hex(JSON.stringify(VALUE)),
      tags: '{"kind": "it\'s"}',
      options: '{"skip_history": true}',
    });
    const bytes = [hex(JSON.stringify(VALUE)), '00ff5c27', hex('"text"'), hex('{"n": 2}')];
    expect(rows.map(({ data }) => data)).toEqual(bytes);
    expect(rows[3]?.['kind']).toBe('publish_or_sink');
    expect(JSON.parse(String(rows[3]?.['options']))).toEqual(SINK);
  });

  it('publishes into several channels', async () => {
    const rows = await rowsOf(...broadcast);
    expect(rows.map(({ channel, data }) => [channel, data])).toEqual(
      broadcast.map(name => [name, hex('{"n":1}')]),
    );
  });

  it('publishes nothing when the transaction is rolled back', async () => {
    expect(printed.adapters[adapter]?.rolledBack).toBe('Error: rolled back');
    expect(await rowsOf(rolledBack)).toEqual([]);
  });
});

describe('what is not a transaction', () => {
  const refused = { code: 'MSG_INVALID_ARGUMENT' };

  it('is refused when the program runs', async () => {
    expect(printed.refusals).toEqual({
      'instance of postgres.js': refused.code,
      'pool of pg': refused.code,
      'database of Drizzle': refused.code,
      'database of Drizzle over pg': refused.code,
      'instance, broadcast': refused.code,
      'pool, broadcast': refused.code,
      'Drizzle, broadcast': refused.code,
      'instance, publishOrSink': refused.code,
      'pool, publishOrSink': refused.code,
      'Drizzle, publishOrSink': refused.code,
      'reserved connection of postgres.js': refused.code,
    });
    expect(await rowsOf('public:shop.refused')).toEqual([]);
  });

  it.each([undefined, null, {}, 'tx'])('%s is refused', async nothing => {
    for (const { publish } of [postgresOutbox, pgOutbox, drizzleOutbox]) {
      await expect(publish(nothing as never, 'public:shop.a', 1)).rejects.toMatchObject(refused);
    }
  });
});

it('names and values are refused before the database sees them', async () => {
  const name = 'public:shop.a';
  const refused = { code: 'MSG_INVALID_ARGUMENT' };
  const invalid = { code: 'MSG_CHANNEL_INVALID' };
  await db.app.begin(async tx => {
    await expect(postgresOutbox.publish(tx, 'Shop', 1)).rejects.toMatchObject(invalid);
    await expect(postgresOutbox.publish(tx, name, { n: 1n })).rejects.toMatchObject(refused);
    await expect(postgresOutbox.publish(tx, name, 1, { schema: 'a"b' })).rejects.toMatchObject(refused);
    await expect(postgresOutbox.broadcast(tx, ['Shop'], 1)).rejects.toMatchObject(invalid);
  });
  expect(await rowsOf(name)).toEqual([]);
});
