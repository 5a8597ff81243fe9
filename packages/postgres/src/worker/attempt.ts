import { isMsgError, type MsgError } from '@msg/core';
import type { Clock, Random } from '@msg/foundation/clock';
import { withDeadline } from '@msg/foundation/promises';
import type { OutboxItem, OutboxOutcome, OutboxPublisher } from '../contract.ts';
import type { Batch, ClaimedRow } from '../store/contract.ts';
import { type AttemptResult, BatchResult } from './batch-result.ts';
import { reactionToRequest } from './reactions.ts';

export interface AttemptParts {
  readonly msg: OutboxPublisher;
  readonly openChannel: ((name: string) => Promise<unknown>) | undefined;
  readonly waitForChannelMs: number;
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
}

/** The idempotency key of a row is forgotten after 300 s. Without history nothing else tells a repetition. */
const UNCERTAIN_MS = 240_000;
const REQUEST_MS = 20_000;
/** A sink has attempts and waits of its own. */
const SINK_MS = 120_000;
const OPEN_MS = 5_000;

/** Publishes the rows of a batch, in their order, and says what became of each. Rejects never. */
export class Attempt {
  readonly #parts: AttemptParts;
  readonly #batch: Batch;
  readonly #result: BatchResult;

  constructor(parts: AttemptParts, batch: Batch) {
    this.#parts = parts;
    this.#batch = batch;
    this.#result = new BatchResult(parts);
  }

  async run(): Promise<AttemptResult> {
    let segment: ClaimedRow[] = [];
    for (const row of this.#batch.rows) {
      if (await this.#isUncertain(row)) {
        this.#result.died(row, 'uncertain', 'it may have been published, and the channel has no history');
      } else if (row.kind === 'publish') {
        segment.push(row);
      } else {
        await this.#publish(segment);
        segment = [];
        await this.#publishOrSink(row);
      }
    }
    await this.#publish(segment);
    await this.#openChannels();
    return this.#result.end();
  }

  async #isUncertain(row: ClaimedRow): Promise<boolean> {
    if (row.uncertainMs < UNCERTAIN_MS || row.kind !== 'publish') return false;
    if (row.options.skip_history === true) return true;
    const { msg, clock } = this.#parts;
    if (msg.positionOf === undefined) return false;
    try {
      const { epoch } = await withDeadline(clock, REQUEST_MS, msg.positionOf(row.channel), late);
      return epoch === '';
    } catch {
      // The publish meets the same failure and says what it is.
      return false;
    }
  }

  /** Publishes rows in one request; a request that is refused as a whole is divided until the row is found. */
  async #publish(segment: readonly ClaimedRow[]): Promise<void> {
    const rows = this.#result.withoutStopped(segment);
    if (rows.length === 0) return;
    const { msg, clock } = this.#parts;
    try {
      const items = rows.map(row => this.#itemOf(row));
      const options = { parallel: true, stopChannelOnError: true } as const;
      const outcomes = await withDeadline(clock, REQUEST_MS, msg.publishMany(items, options), late);
      this.#note(rows, outcomes);
    } catch (error) {
      await this.#requestFailed(rows, error);
    }
  }

  #note(rows: readonly ClaimedRow[], outcomes: readonly OutboxOutcome[]): void {
    for (const [index, row] of rows.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) throw new Error('an outcome is missing');
      const { error, suppressed } = outcome;
      if (error === null || error === undefined) this.#result.published(row, suppressed);
      else this.#result.refused(row, error);
    }
  }

  async #requestFailed(rows: readonly ClaimedRow[], error: unknown): Promise<void> {
    const answer = answerOf(error);
    const { act, isCertain } = answer === undefined ? UNKNOWN : reactionToRequest(answer.code);
    const [first] = rows;
    if (act === 'retry' || answer === undefined || first === undefined) {
      this.#result.failed(rows, error, isCertain);
    } else if (rows.length === 1) {
      this.#result.refused(first, answer);
    } else {
      const half = Math.ceil(rows.length / 2);
      await this.#publish(rows.slice(0, half));
      await this.#publish(rows.slice(half));
    }
  }

  async #publishOrSink(row: ClaimedRow): Promise<void> {
    if (this.#result.withoutStopped([row]).length === 0) return;
    const { msg, clock } = this.#parts;
    const { sink = '', recipient, message = {} } = row.options;
    if (msg.publishOrSink === undefined) {
      this.#result.died(row, 'unsupported', 'the worker cannot send through sinks');
      return;
    }
    try {
      const extras = { version: row.version, versionEpoch: this.#batch.versionEpoch };
      const sent = msg.publishOrSink(row.channel, row.data, sink, recipient, message, undefined, extras);
      await withDeadline(clock, SINK_MS, sent, late);
      this.#result.published(row, false);
    } catch (error) {
      await this.#requestFailed([row], error);
    }
  }

  #itemOf(row: ClaimedRow): OutboxItem {
    return {
      name: row.channel,
      payload: row.data,
      tags: row.tags,
      idempotencyKey: `outbox:${row.key}`,
      skipHistory: row.options.skip_history === true,
      version: row.version,
      versionEpoch: this.#batch.versionEpoch,
    };
  }

  async #openChannels(): Promise<void> {
    const { openChannel, clock } = this.#parts;
    if (openChannel === undefined) return;
    for (const channel of this.#result.notOpen()) {
      // A channel that cannot be opened is waited for.
      await withDeadline(clock, OPEN_MS, openChannel(channel), late).catch(() => undefined);
    }
  }
}

const UNKNOWN = { act: 'retry', isCertain: false } as const;

/** The error when it is an answer of the service. */
function answerOf(error: unknown): MsgError | undefined {
  return isMsgError(error) && error.cause === undefined ? error : undefined;
}

function late(): never {
  throw new Error('the service did not answer in time');
}
