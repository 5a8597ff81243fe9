import { systemClock } from '@msg/foundation/clock';
import { withDeadline } from '@msg/foundation/promises';
import type { Batch, OutboxStore } from '@msg/postgres/internal';
import { type ModelRow, ModelStore } from '@msg/testkit/outbox';
import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { CommittedRow, DeadRow, WorkerAct } from '../../oracles/observations.ts';

/** What the worker gives a statement, as its connections to a real database do. */
const STATEMENT_MS = 15_000;

/** A statement whose answer has not left the database. */
interface Statement {
  readonly fail: (code: string) => void;
}

/**
 * The database: an actor of its own with the model of the outbox on its disk. A statement takes drawn time there and
 * back; its connection can end before the effect, or after it.
 */
export class Database {
  readonly store = new ModelStore({});
  /** The truth of the oracles, in the order of the commits. */
  readonly committed: CommittedRow[] = [];
  /** When rows were given to a worker. */
  readonly leases: WorkerAct[] = [];
  /** How often each row was claimed. */
  readonly claims = new Map<number, number>();
  /** What answers take longer, milliseconds. */
  lateMs = 0;
  /** Of 100 statements so many lose their connection. */
  lossPercent = 0;
  readonly #kernel: Kernel;
  readonly #open = new Map<number, ModelRow[]>();
  readonly #statements = new Set<Statement>();
  readonly #dead: DeadRow[] = [];
  #serial = 0;
  #isUp = true;
  #downUntilMs = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  get actor(): Actor {
    return this.#kernel.actor('database');
  }

  /** Ids of rows that died, with the moment at which each was first seen dead. */
  get dead(): readonly DeadRow[] {
    return this.#dead;
  }

  /** The process ends with its transactions and comes back, not before an earlier stop is over; the disk stays. */
  restart(afterMs: number): void {
    this.#downUntilMs = Math.max(this.#downUntilMs, this.#kernel.nowUs / 1000 + afterMs);
    const { actor } = this;
    this.#isUp = false;
    this.#kernel.kill(actor);
    this.#open.clear();
    for (const { fail } of this.#statements) fail('CONNECTION_CLOSED');
    this.#statements.clear();
    this.actor.clockOffsetMs = actor.clockOffsetMs;
    this.#kernel.at(this.#downUntilMs, this.actor, 'start', () => {
      this.#isUp = true;
    });
  }

  /** Inserts rows into an open transaction. @returns its number */
  insert(rows: readonly Omit<ModelRow, 'id'>[]): Promise<number> {
    return this.#call(async () => {
      const transaction = ++this.#serial;
      this.#open.set(
        transaction,
        rows.map(row => ({ ...row, ...this.#identified(row) })),
      );
      return transaction;
    });
  }

  /** Ends a transaction. A savepoint that was rolled back took the first rows with it. */
  end(transaction: number, { commits, without = 0 }: { commits: boolean; without?: number }): Promise<void> {
    return this.#call(async () => {
      const rows = this.#open.get(transaction);
      if (rows === undefined) throw Object.assign(new Error('no such transaction'), { code: '25P01' });
      this.#open.delete(transaction);
      if (!commits) return;
      const commit = this.committed.length;
      for (const row of rows.slice(without)) {
        this.store.commit(row);
        this.committed.push({ ...row, kind: row.kind ?? 'publish', commit, atUs: this.#kernel.nowUs });
      }
    });
  }

  /** The outbox as a worker reaches it. */
  outbox(worker: string): OutboxStore {
    return {
      claim: (owner, rows) => this.#call(() => this.#claim(worker, owner, rows)),
      settle: (owner, partitions, settlement) =>
        this.#call(() => this.store.settle(owner, partitions, settlement)),
    };
  }

  async #claim(worker: string, owner: string, count: number): Promise<Batch | undefined> {
    const batch = await this.store.claim(owner, count);
    if (batch !== undefined) this.leases.push({ worker, atUs: this.#kernel.nowUs });
    for (const { id } of batch?.rows ?? [])
      this.claims.set(Number(id), (this.claims.get(Number(id)) ?? 0) + 1);
    return batch;
  }

  /** The row's id, and its payload and message with it. */
  #identified({ data, channel, options = {} }: Omit<ModelRow, 'id'>): Omit<ModelRow, 'channel'> {
    const id = ++this.#serial;
    const text = data === undefined ? JSON.stringify({ row: id, channel }) : new TextDecoder().decode(data);
    const named = options.message === undefined ? options : { ...options, message: { body: String(id) } };
    return { id, data: new TextEncoder().encode(text), options: named };
  }

  #call<T>(work: () => Promise<T>): Promise<T> {
    const late = (): never => {
      throw Object.assign(new Error('the database did not answer in time'), { code: 'STATEMENT_TIMEOUT' });
    };
    return withDeadline(systemClock, STATEMENT_MS, this.#send(work), late);
  }

  #send<T>(work: () => Promise<T>): Promise<T> {
    const kernel = this.#kernel;
    const caller = kernel.owner('a statement');
    const draw = caller.stream('database');
    const laterUs = (): number => kernel.nowUs + draw.between(100, 15_000);
    return new Promise((resolve, reject) => {
      const back = (kind: string, run: () => void): void => {
        kernel.schedule(caller, { kind, atUs: laterUs() + 1000 * this.lateMs }, run);
      };
      const fail = (code: string): void =>
        back('database failed', () => reject(Object.assign(new Error(code), { code })));
      if (!this.#isUp) return fail('ECONNREFUSED');
      const isLost = draw.chance(this.lossPercent);
      const isDone = draw.chance(50);
      const statement = { fail };
      this.#statements.add(statement);
      kernel.schedule(this.actor, { kind: 'statement', atUs: laterUs() }, async () => {
        this.#statements.delete(statement);
        if (isLost && !isDone) return fail('CONNECTION_CLOSED');
        try {
          const result = await this.#run(work);
          if (isLost) fail('CONNECTION_CLOSED');
          else back('database answers', () => resolve(result));
        } catch (error) {
          back('database answers', () => reject(error));
        }
      });
    });
  }

  /** Runs a statement by the clock of the database. */
  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.store.now = Date.now();
    const result = await work();
    const { dead } = this.store;
    for (const { id, code } of dead.slice(this.#dead.length))
      this.#dead.push({ row: id, code, atUs: this.#kernel.nowUs });
    return result;
  }
}
