import { setTimeout as pause } from 'node:timers/promises';
import { Msg } from '@msg/server';
import { eventually } from '@msg/testkit';
import { Centrifuge, type StreamPosition } from 'centrifuge';
import postgres from 'postgres';
import * as outbox from '#src/postgres-js.ts';
import type { Random } from '../../../protocol/test/support/random.ts';
import { OutboxDatabase } from './database.ts';

const CHANNEL = 'public:shop.counters';
const COUNTERS = 40;
const WRITERS = 6;
/** Counters of which the stream has a newer revision than the state, when a reader in the wrong order goes on. */
const OVERTAKEN = 10;
const WAIT_MS = 600_000;

/** Steps of a reader, in this order; each can be put off until something was published. */
export type ReaderOrder = 'position first' | 'state first';

/** A counter as it is published: the whole row. */
interface Change {
  readonly id: number;
  readonly revision: number;
}

/** Where a reader has read to, and the revisions that it knows by then, by counter. */
export interface Reading {
  readonly offset: number;
  readonly known: ReadonlyMap<number, number>;
}

/** Counters in PostgreSQL whose changes are published in their transactions, writers, and readers of the stock client. */
export class StateWorld {
  readonly #db: OutboxDatabase;
  readonly #msg: Msg;
  readonly #sql: postgres.Sql;
  readonly #witness: Centrifuge;
  /** What was published, by offset − 1. */
  readonly published: Change[] = [];
  /** Transactions that were committed. */
  writes = 0;
  isOver = false;

  private constructor(db: OutboxDatabase, msg: Msg) {
    this.#db = db;
    this.#msg = msg;
    const max = WRITERS + 20;
    this.#sql = postgres(db.url('admin'), { max, fetch_types: false, onnotice: () => undefined });
    this.#witness = this.#client();
  }

  static async start(): Promise<StateWorld> {
    const db = await OutboxDatabase.start({ settings: { synchronous_commit: 'off' } });
    const msg = await Msg.start({
      listen: { port: 0 },
      channels: {
        open: [{ name: CHANNEL, ttlMs: Infinity }],
        rules: [{ pattern: CHANNEL, historySize: 20_000 }],
      },
      outbox: { url: db.url('admin'), pollIntervalMs: 50 },
    });
    const world = new StateWorld(db, msg);
    await world.#sql.unsafe('CREATE TABLE counters (id integer PRIMARY KEY, revision integer NOT NULL)');
    await world.#sql.unsafe(`INSERT INTO counters SELECT id, 0 FROM generate_series(1, ${COUNTERS}) AS id`);
    await world.#watch();
    return world;
  }

  /** Writes until so many transactions were committed, and everything they published has come. */
  async write(count: number, random: Random): Promise<void> {
    let started = 0;
    const writer = async (): Promise<void> => {
      while (started < count) {
        started++;
        await this.#transaction(random);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    await eventually('the outbox is empty', async () => (await this.#db.rows()).length === 0, WAIT_MS);
    this.isOver = true;
  }

  /** Waits until so many transactions were committed. */
  written(count: number): Promise<void> {
    return eventually(`${count} writes`, () => this.writes >= count || this.isOver, WAIT_MS);
  }

  /** Reads the state, then some of the stream, in this order of the first two steps. */
  async read(order: ReaderOrder, random: Random): Promise<Reading> {
    const known = new Map<number, number>();
    const enough = random.below(20);
    let offset = 0;
    let count = 0;
    const client = this.#client();
    const subscription = client.newSubscription(CHANNEL, {
      getState: () => this.#state(order, random, known),
    });
    subscription.on('subscribed', ({ streamPosition }) => {
      offset = Math.max(offset, streamPosition?.offset ?? 0);
    });
    subscription.on('publication', ({ data, offset: at = 0 }) => {
      // The outbox publishes in bursts: what comes after the last one that counts would repair what was missed.
      if (count === enough) return;
      const { id, revision } = data as Change; // of our writers
      known.set(id, Math.max(known.get(id) ?? 0, revision));
      offset = Math.max(offset, at);
      count++;
    });
    subscription.subscribe();
    client.connect();
    await subscription.ready();
    // What is recovered comes in the turn of the reply.
    await eventually('the reader has enough', () => count >= enough || this.isOver, WAIT_MS);
    client.disconnect();
    return { offset, known };
  }

  /** The counters of a reading that are behind what was published up to its offset. */
  missed({ offset, known }: Reading): readonly Change[] {
    const latest = new Map<number, number>();
    for (const { id, revision } of this.published.slice(0, offset)) latest.set(id, revision);
    return [...latest]
      .map(([id, revision]) => ({ id, revision }))
      .filter(({ id, revision }) => (known.get(id) ?? 0) < revision);
  }

  /** Revisions by counter, as the database has them. */
  async rows(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#sql<Change[]>`SELECT id, revision FROM counters`;
    return new Map(rows.map(({ id, revision }) => [id, revision]));
  }

  async stop(): Promise<void> {
    this.#witness.disconnect();
    await this.#msg.stop();
    await this.#sql.end({ timeout: 1 });
    await this.#db.stop();
  }

  async #state(order: ReaderOrder, random: Random, known: Map<number, number>): Promise<StreamPosition> {
    const load = async (): Promise<void> => {
      for (const [id, revision] of await this.rows()) known.set(id, revision);
    };
    if (order === 'state first') {
      await load();
      const isAhead = ({ id, revision }: Change): boolean => revision > (known.get(id) ?? 0);
      const overtaken = (): number => new Set(this.published.filter(isAhead).map(({ id }) => id)).size;
      await eventually('the stream is ahead', () => overtaken() >= OVERTAKEN || this.isOver, WAIT_MS);
      return this.#msg.positionOf(CHANNEL);
    }
    const position = await this.#msg.positionOf(CHANNEL);
    await this.#linger(random);
    await load();
    return position;
  }

  /** Goes on at once, in some milliseconds, or when more was published. */
  async #linger(random: Random): Promise<void> {
    const [kind, ms, more] = [random.below(3), random.below(6), 1 + random.below(5)];
    if (kind === 0) return;
    if (kind === 1) return pause(ms);
    const until = this.published.length + more;
    await eventually('more is published', () => this.published.length >= until || this.isOver, WAIT_MS);
  }

  /** One or two counters, in the order of their ids; one of ten rolls back, one of ten commits late. */
  async #transaction(random: Random): Promise<void> {
    const ids = [...new Set([1 + random.below(COUNTERS), 1 + random.below(COUNTERS)])]
      .slice(0, 1 + random.below(2))
      .sort((a, b) => a - b);
    const [fate, late] = [random.below(10), random.below(5) / 1000];
    const work = this.#sql.begin(async tx => {
      for (const id of ids) {
        const [change] = await tx<[Change]>`
          UPDATE counters SET revision = revision + 1 WHERE id = ${id} RETURNING id, revision`;
        await outbox.publish(tx, CHANNEL, change);
      }
      if (fate === 0) throw new RolledBack();
      if (fate === 1) await tx`SELECT pg_sleep(${late})`;
    });
    await work.then(
      () => this.writes++,
      (error: unknown) => {
        if (!(error instanceof RolledBack)) throw error;
      },
    );
  }

  async #watch(): Promise<void> {
    const subscription = this.#witness.newSubscription(CHANNEL, {
      since: await this.#msg.positionOf(CHANNEL),
    });
    subscription.on('publication', ({ data, offset }) => {
      this.published.push(data as Change); // of our writers
      if (offset !== this.published.length)
        throw new Error(`offset ${offset} after ${this.published.length - 1}`);
    });
    subscription.subscribe();
    this.#witness.connect();
    await subscription.ready();
  }

  #client(): Centrifuge {
    const url = this.#msg.addresses[0]?.url ?? '';
    return new Centrifuge(`${url.replace('http', 'ws')}/connection/websocket`, { minReconnectDelay: 20 });
  }
}

/** What makes a transaction of a writer roll back. */
class RolledBack extends Error {}
