import type { Clock, Random } from '@msg/foundation/clock';
import { pause } from '@msg/foundation/promises';
import type { Batch, OutboxStore, Settlement } from '../store/contract.ts';
import { LEASE_MS } from '../store/database-store.ts';
import { Attempt, type AttemptParts } from './attempt.ts';
import type { AttemptResult } from './batch-result.ts';
import { failureOfDatabase } from './database-failure.ts';
import type { WorkerFigures } from './figures.ts';
import type { Pace } from './pace.ts';

export interface ClaimerParts extends AttemptParts {
  readonly store: OutboxStore;
  readonly rows: number;
  readonly figures: WorkerFigures;
  readonly clock: Clock;
  readonly random: Random;
  /** Of all claimers of the worker. */
  readonly pace: Pace;
}

interface ClaimedBatch extends Batch {
  /** When it was asked for: its leases began later. */
  readonly askedAt: number;
}

/** Leases are prolonged so often while the service is waited for. */
const RENEW_MS = LEASE_MS / 3;
const NOTHING: Settlement = { done: [], unpublished: [], failures: [], keepsLease: true };

/** Claims, publishes and settles one batch after the other. No transaction is open while the network is waited for. */
export class Claimer {
  readonly #parts: ClaimerParts;
  readonly #owner: string;

  constructor(parts: ClaimerParts) {
    this.#parts = parts;
    this.#owner = parts.random.uuid();
  }

  /** Works until the signal aborts; the batch at hand is finished. */
  async run(signal: AbortSignal): Promise<void> {
    const { pace } = this.#parts;
    while (!signal.aborted) {
      const full = await pace.turn(() => this.#guarded(() => this.#turn(signal), signal));
      // More rows are due: another claimer takes them meanwhile.
      if (full !== undefined) await this.#guarded(() => this.#finish(full, signal), signal);
    }
  }

  /** One batch, if a row is due. Rejects with the errors of the database. */
  async step(): Promise<void> {
    const batch = await this.#claim();
    if (batch !== undefined) await this.#work(batch);
  }

  /** Finishes batches until one is full, which is answered: a claimer at work is cheaper than two that take turns. */
  async #turn(signal: AbortSignal): Promise<ClaimedBatch | undefined> {
    for (;;) {
      const batch = await this.#parts.pace.next(() => this.#claim(), signal);
      if (batch === undefined || batch.hasMore) return batch;
      await this.#finish(batch, signal);
    }
  }

  async #finish(batch: ClaimedBatch, signal: AbortSignal): Promise<void> {
    const { pace } = this.#parts;
    const failure = (await this.#work(batch))?.failure;
    if (failure === undefined) pace.works('service');
    else await pace.failed({ where: 'service', ...failure }, signal);
  }

  /** After an error of the database the claimer waits. */
  async #guarded<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      await this.#parts.pace.failed(failureOfDatabase(error), signal);
      return undefined;
    }
  }

  async #claim(): Promise<ClaimedBatch | undefined> {
    const { store, clock, figures, rows, pace } = this.#parts;
    const askedAt = clock.monotonic();
    const batch = await store.claim(this.#owner, rows);
    pace.works('database');
    if (batch === undefined) return undefined;
    for (const partition of batch.takeovers) figures.tookOver(partition);
    return { ...batch, askedAt };
  }

  /** Publishes and settles; undefined: a process that stood still in between has lost its leases. */
  async #work(batch: ClaimedBatch): Promise<AttemptResult | undefined> {
    if (this.#parts.clock.monotonic() - batch.askedAt >= LEASE_MS) return undefined;
    const result = await this.#publish(batch);
    await this.#settle(batch, result);
    return result;
  }

  async #publish(batch: Batch): Promise<AttemptResult> {
    const over = new AbortController();
    const renewing = this.#renew(batch, over.signal);
    const result = await new Attempt(this.#parts, batch).run();
    over.abort();
    await renewing;
    return result;
  }

  async #renew({ partitions }: Batch, over: AbortSignal): Promise<void> {
    const { store, clock } = this.#parts;
    for (;;) {
      await pause(clock, RENEW_MS, over);
      if (over.aborted) return;
      // Without a lease the same rows are published twice, and the second time suppressed.
      await store.settle(this.#owner, partitions, NOTHING).catch(() => undefined);
    }
  }

  async #settle(batch: Batch, { settlement, published, suppressed }: AttemptResult): Promise<void> {
    const { store, figures } = this.#parts;
    const { owned, buried } = await store.settle(this.#owner, batch.partitions, settlement);
    figures.published(published, suppressed);
    for (const { channel } of settlement.done) figures.publishedInto(channel);
    const rows = new Map(batch.rows.map(row => [row.id, row]));
    const isOurs = (id: string): boolean => owned.includes(rows.get(id)?.partition ?? -1);
    const dead = settlement.failures.filter(({ id, act }) => act === 'dead' && isOurs(id));
    let others = buried - dead.length;
    for (const { id, code, olderMs } of dead) {
      figures.died(
        id,
        rows.get(id)?.channel ?? '',
        code,
        olderMs === undefined ? 1 : 1 + Math.max(0, others),
      );
      if (olderMs !== undefined) others = 0;
    }
  }
}
