// node --conditions=msg-source writer-program.ts <order as JSON>: transactions of an application, one after the other, until
// it is killed or told to end. Prints a letter for each that ended: c committed, r rolled back, u: it does not know.
import { setTimeout as pause } from 'node:timers/promises';
import { publish } from '@msg/postgres/pg';
import pg from 'pg';
import { Prng } from '../../packages/engine/test/model/prng.ts';
import { CHANNELS, kindOf } from './channels.ts';

export interface WriterOrder {
  readonly url: string;
  readonly seed: number;
  /** The first of the numbers that it gives to what it publishes. */
  readonly firstNumber: number;
}

class RolledBack extends Error {}

/** Between two transactions: writers without a pause are faster than a store that writes each publication to its disk. */
const PACE_MS = 100;

const [text = '{}'] = process.argv.slice(2);
const { url, seed, firstNumber } = JSON.parse(text) as WriterOrder;
const PLAIN = CHANNELS.filter(name => kindOf(name) === 'plain');
const random = new Prng(seed);
let number = firstNumber;
/** Transactions of one session came one after the other. What was under way when the connection broke may still commit. */
let session = firstNumber;
let isOver = false;
process.once('SIGTERM', () => {
  isOver = true;
});

/** A row of the application and what is published of it. */
async function write(tx: pg.Client, channel: string): Promise<void> {
  const n = number++;
  const insert = 'INSERT INTO orders (n, channel, session, position) VALUES ($1, $2, $3, $4)';
  const row = (position: number | null) => tx.query(insert, [n, channel, session, position]);
  const kind = kindOf(channel);
  if (kind === 'counted') {
    const count = 'UPDATE counters SET n = n + 1 WHERE channel = $1 RETURNING n';
    const { rows } = await tx.query<{ readonly n: number }>(count, [channel]);
    await publish(tx, channel, { n });
    await row(rows[0]?.n ?? null);
  } else if (kind === 'ordered') {
    await publish(tx, channel, { n }, { ordered: true });
    await row(null);
  } else {
    await row(null);
    await publish(tx, channel, { n });
  }
}

/** What it writes behind a savepoint stays in half of the cases. */
async function writeBehindSavepoint(tx: pg.Client): Promise<void> {
  await tx.query('SAVEPOINT inner_part');
  await write(tx, random.pick(PLAIN));
  await tx.query(random.chance(50) ? 'RELEASE SAVEPOINT inner_part' : 'ROLLBACK TO SAVEPOINT inner_part');
}

async function transaction(tx: pg.Client): Promise<void> {
  const names = new Set([random.pick(CHANNELS)]);
  if (random.chance(20)) names.add(random.pick(CHANNELS));
  const [hasSavepoint, rollsBack] = [random.chance(15), random.chance(20)];
  await tx.query('BEGIN');
  // Locks are taken in the order of the list, so that no two transactions wait for each other.
  for (const name of CHANNELS) if (names.has(name)) await write(tx, name);
  if (hasSavepoint) await writeBehindSavepoint(tx);
  await tx.query(rollsBack ? 'ROLLBACK' : 'COMMIT');
  if (rollsBack) throw new RolledBack();
}

/** Transactions on one connection, until it breaks. */
async function workOn(tx: pg.Client): Promise<void> {
  session = number;
  while (!isOver) {
    try {
      await transaction(tx);
      process.stdout.write('c\n');
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error;
      process.stdout.write('r\n');
    }
    await pause(PACE_MS);
  }
}

while (!isOver) {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await workOn(client);
  } catch {
    process.stdout.write('u\n');
    // The database is away.
    await pause(50);
  }
  await client.end().catch(() => undefined);
}
