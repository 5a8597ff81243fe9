import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '@msg/foundation/json';
import { eventually } from '@msg/testkit';
import { Client } from 'pg';
import { measureInTurns, type Pair } from '../comparison.ts';
import { printQuantity } from '../report.ts';
import { CHANNELS, PAYLOAD, type Scene } from './scene.ts';

interface Sample {
  /** Milliseconds of one transaction, commit included. */
  readonly ms: number;
  /** CPU of the connections that write, microseconds: what a worker and other programs on the machine do not change. */
  readonly cpuUs: number;
}

/** Transactions a second that leave the cores time: what remains is the cost of one. */
const PACE = 500;
/** Of the fields that Linux tells in hundredths of a second. */
const TICK_US = 10_000;

/** The statement of a transaction beside its business row. */
type Statement = (channel: string) => { readonly text: string; readonly values: readonly string[] };

const PUBLISH: Statement = channel => ({
  text: 'SELECT msg.publish($1, $2::text)',
  values: [channel, PAYLOAD],
});
const ORDERED: Statement = channel => ({
  text: 'SELECT msg.publish($1, $2::text, ordered => true)',
  values: [channel, PAYLOAD],
});
const PLAIN: Statement = channel => ({
  text: `INSERT INTO plain (id, partition, channel, kind, data) OVERRIDING SYSTEM VALUE
    VALUES (nextval('plain_id'), 7, $1, 'publish', convert_to($2, 'UTF8'))`,
  values: [channel, PAYLOAD],
});

/** Transactions with a business row and a publish, beside those with a plain insert of the same row in its place. */
export async function printTransactions(scene: Scene, pairs: number, count: number): Promise<void> {
  await scene.sql.unsafe('CREATE SEQUENCE plain_id', []);
  const [single, crowd] = [await connect(scene, 1), await connect(scene, 64)];
  try {
    for (const [title, writers, bell, perSecond] of [
      ['one writer, no worker', single, false, undefined],
      ['64 writers, no worker', crowd, false, undefined],
      [`64 writers, ${PACE} a second, a worker that the bell wakes`, crowd, true, PACE],
      // Writers, worker, service and database share the cores: without a bar.
      ['64 writers without a pause, a worker that the bell wakes', crowd, true, undefined],
    ] as const) {
      if (bell) await scene.ask({ kind: 'work', bell: true });
      const measured = await measureInTurns(
        pairs,
        () => sample(scene, writers, PUBLISH, count, perSecond),
        () => sample(scene, writers, PLAIN, count, perSecond),
      );
      console.log(`outbox: transactions, ${title}, ${count} a round`);
      print(measured, 'plain insert', bell && perSecond === undefined ? undefined : '≤ 1.3');
    }
    await scene.ask({ kind: 'rest' });
    const ordered = await measureInTurns(
      pairs,
      () => sample(scene, crowd, ORDERED, count),
      () => sample(scene, crowd, PUBLISH, count),
    );
    console.log(`outbox: ordered beside not, 64 writers of ${CHANNELS.length} channels`);
    print(ordered, 'not ordered');
  } finally {
    await Promise.all([...single, ...crowd].map(({ client }) => client.end()));
  }
}

function print(measured: readonly Pair<Sample>[], baseline: string, wanted?: string): void {
  const bar = defined({ wanted });
  printQuantity(measured, baseline, { name: 'ms per transaction', of: ({ ms }) => ms, digits: 3, ...bar });
  const name = 'CPU of the connections that write, µs per transaction';
  printQuantity(measured, baseline, { name, of: ({ cpuUs }) => cpuUs, digits: 0, ...bar });
}

/** A connection of an application, with the process of the database that serves it. */
interface Writer {
  readonly client: Client;
  readonly pid: number;
}

function cpuUs(writers: readonly Writer[]): number {
  return writers.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_US;
  }, 0);
}

async function connect({ url }: Scene, count: number): Promise<readonly Writer[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      return { client, pid: rows[0]?.pid ?? Number.NaN };
    }),
  );
}

/** So many transactions; each client makes one after the other, without a pause or when its turn of the pace comes. */
async function sample(
  scene: Scene,
  writers: readonly Writer[],
  statement: Statement,
  count: number,
  perSecond?: number,
): Promise<Sample> {
  let begun = 0;
  let ms = 0;
  const before = cpuUs(writers);
  const start = performance.now();
  await Promise.all(
    writers.map(async ({ client }) => {
      for (let turn = begun++; turn < count; turn = begun++) {
        if (perSecond !== undefined)
          await pause(Math.max(0, start + (turn * 1000) / perSecond - performance.now()));
        const { text, values } = statement(CHANNELS[turn % CHANNELS.length] ?? '');
        const beginning = performance.now();
        await client.query('BEGIN');
        await client.query('INSERT INTO orders (note) VALUES ($1)', ['a note']);
        await client.query(text, [...values]);
        await client.query('COMMIT');
        ms += performance.now() - beginning;
      }
    }),
  );
  const usedUs = (cpuUs(writers) - before) / count;
  // Tables of one size at the beginning of each round.
  await scene.sql.unsafe('TRUNCATE plain, orders', []);
  await empty(scene);
  return { ms: ms / count, cpuUs: usedUs };
}

/** A worker empties the outbox by itself, and would meet a deletion of many rows. */
async function empty({ sql, isWorking }: Scene): Promise<void> {
  if (!isWorking()) await sql.unsafe('DELETE FROM msg.outbox', []);
  const count = async () => Number((await sql.unsafe('SELECT count(*) AS n FROM msg.outbox', []))[0]?.['n']);
  await eventually('the outbox is empty', async () => (await count()) === 0);
}
