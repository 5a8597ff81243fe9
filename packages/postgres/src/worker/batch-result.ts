import { isMsgError } from '@msg/core';
import type { Random } from '@msg/foundation/clock';
import type { OutboxItemError } from '../contract.ts';
import type { ClaimedRow, RowFailure, Settlement } from '../store/contract.ts';
import { backoffMs } from './backoff.ts';
import { reactionTo } from './reactions.ts';

/** Why the service published nothing. */
export interface ServiceFailure {
  readonly code: string;
  readonly message: string;
}

/** What one attempt came to. */
export interface AttemptResult {
  readonly settlement: Settlement;
  readonly published: number;
  readonly suppressed: number;
  /** No row was published because of the service; the worker waits. */
  readonly failure: ServiceFailure | undefined;
}

export interface BatchResultParts {
  readonly waitForChannelMs: number;
  readonly random: Pick<Random, 'fraction'>;
}

const LONGEST_ERROR = 500;
/** Channels of one batch that wait each by itself while the service takes nothing. */
const MOST_HELD = 20;

/** Collects what becomes of the rows of a batch. */
export class BatchResult {
  readonly #parts: BatchResultParts;
  readonly #done: ClaimedRow[] = [];
  readonly #unpublished: string[] = [];
  readonly #failures: RowFailure[] = [];
  /** Channels whose later rows are not tried. */
  readonly #stopped = new Set<string>();
  readonly #notOpen = new Set<string>();
  #suppressed = 0;
  /** Of the last row, or request, that waits for the service. */
  #failure: ServiceFailure | undefined;
  /** A request came to nothing: the service is not tried again in this batch. */
  #isOver = false;

  constructor(parts: BatchResultParts) {
    this.#parts = parts;
  }

  /** The rows that may be tried; the others stay as they are. */
  withoutStopped(rows: readonly ClaimedRow[]): readonly ClaimedRow[] {
    return rows.filter(row => {
      const isStopped = this.#isOver || this.#stopped.has(row.channel);
      if (isStopped) this.#wasNotPublished(row);
      return !isStopped;
    });
  }

  published(row: ClaimedRow, isSuppressed: boolean): void {
    this.#done.push(row);
    if (isSuppressed) this.#suppressed++;
  }

  /** The service refused a row. Rows of the channel behind it were skipped, whatever their error says. */
  refused(row: ClaimedRow, { code, message }: OutboxItemError): void {
    if (this.#stopped.has(row.channel)) {
      this.#wasNotPublished(row);
      return;
    }
    this.#stopped.add(row.channel);
    const { act, isCertain } = reactionTo(code);
    if (isCertain && act !== 'dead') this.#wasNotPublished(row);
    if (act === 'retry') this.#failure = { code, message };
    if (act === 'hold') this.#hold(row, code, message);
    else this.#fail(row, act, code, message);
  }

  died(row: ClaimedRow, code: string, message: string): void {
    this.#fail(row, 'dead', code, message);
  }

  /** A whole request failed. */
  failed(rows: readonly ClaimedRow[], error: unknown, isCertain: boolean): void {
    this.#isOver = true;
    this.#failure = failureOf(error);
    if (isCertain) for (const row of rows) this.#wasNotPublished(row);
  }

  /** Channels that are not open. */
  notOpen(): ReadonlySet<string> {
    return this.#notOpen;
  }

  end(): AttemptResult {
    const isWaiting = this.#isOver || (this.#failure !== undefined && this.#done.length === 0);
    const retries = this.#failures.filter(({ act }) => act === 'retry').length;
    // While the service takes nothing, the worker waits, and not many channels each by itself.
    const failures =
      isWaiting && retries > MOST_HELD ? this.#failures.filter(({ act }) => act !== 'retry') : this.#failures;
    const settlement = { done: this.#done, unpublished: this.#unpublished, failures, keepsLease: false };
    return {
      settlement,
      published: this.#done.length,
      suppressed: this.#suppressed,
      failure: isWaiting ? this.#failure : undefined,
    };
  }

  /** Of a later attempt it is not known what an earlier one did. */
  #wasNotPublished({ id, uncertainMs }: ClaimedRow): void {
    if (uncertainMs === 0) this.#unpublished.push(id);
  }

  #hold(row: ClaimedRow, code: string, message: string): void {
    const { waitForChannelMs } = this.#parts;
    if (row.heldMs >= waitForChannelMs) {
      this.#fail(row, 'dead', code, message, waitForChannelMs);
      return;
    }
    this.#notOpen.add(row.channel);
    this.#fail(row, 'hold', code, message);
  }

  #fail(row: ClaimedRow, act: RowFailure['act'], code: string, message: string, olderMs?: number): void {
    const delayMs = act === 'dead' ? 0 : backoffMs(row.attempts, this.#parts.random);
    // The answer of an earlier attempt was lost: the refusal of this one does not say that nothing was published.
    const isUncertain = act === 'dead' && row.uncertainMs !== 0;
    const error = `${code}: ${message}`.slice(0, LONGEST_ERROR);
    const failure = { id: row.id, act, code: isUncertain ? 'uncertain' : code, error, delayMs };
    this.#failures.push(olderMs === undefined ? failure : { ...failure, olderMs });
  }
}

function failureOf(error: unknown): ServiceFailure {
  if (isMsgError(error)) return { code: error.code, message: error.message };
  return { code: 'MSG_BROKER_NOT_READY', message: error instanceof Error ? error.message : 'no answer' };
}
