import type { Clock } from '@msg/foundation/clock';
import { chain, isPromise, type MaybePromise, recover, withDeadline } from '@msg/foundation/promises';
import { DashError } from '../errors.ts';
import type { ResolvedConnection } from '../resolve/tree.ts';
import { boundedRows } from './bounded-rows.ts';
import type { DataRows } from './contract.ts';
import { Flights } from './flights.ts';
import { type Outcome, RowStore } from './row-store.ts';
import type { Secrets } from './secrets.ts';
import { Slots } from './slots.ts';
import type { DataSource, DataSourceKind, QueryPlan, SourceTools } from './source.ts';

/** One query of one connection. */
export interface Query {
  readonly kind: DataSourceKind;
  readonly connection: ResolvedConnection;
  readonly plan: QueryPlan;
  /** Equal for connections of the same config, whatever they are called. */
  readonly connectionKey: string;
  /** Equal for queries that one answer serves. */
  readonly key: string;
  /** The same without the span of time. */
  readonly timelessKey: string;
  readonly timeoutMs: number;
  readonly freshMs: number;
}

/** An outcome, and how old it is. */
export interface KnownOutcome {
  readonly outcome: Outcome;
  readonly ageMs: number;
}

export interface QueriesOptions extends SourceTools {
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/**
 * Runs queries: each distinct one once at a time, however many ask for it, and not again while its rows are fresh; within
 * limits of number, time and size.
 */
export class Queries {
  readonly #sources = new Map<DataSourceKind, DataSource>();
  readonly #flights = new Flights<KnownOutcome>();
  readonly #slots = new Slots();
  readonly #store: RowStore;
  readonly #options: QueriesOptions;

  constructor(options: QueriesOptions) {
    this.#options = options;
    this.#store = new RowStore(options.clock);
  }

  /** @param leaving aborts when the caller no longer waits. Never rejects. */
  ask(query: Query, leaving: AbortSignal | undefined): MaybePromise<KnownOutcome> {
    return (
      this.#store.fresh(query.key) ?? this.#flights.join(query.key, leaving) ?? this.#run(query, leaving)
    );
  }

  /** The last rows of a query, over any span of time. */
  last({ timelessKey }: Query): { data: DataRows; ageMs: number } | undefined {
    return this.#store.last(timelessKey);
  }

  /** The rows of a kind that has them at hand. */
  atHand(kind: DataSourceKind, connection: ResolvedConnection): DataRows {
    const { config = {} } = connection;
    const signal = new AbortController().signal;
    return this.#source(kind).ask({ connection, config, query: {}, signal }) as DataRows;
  }

  /** Calls back when the rows of a connection have changed, until the answered function is called. */
  watch(kind: DataSourceKind, connection: ResolvedConnection, onChange: () => void): () => void {
    const config = this.#options.secrets.fill(connection.config ?? {});
    return this.#source(kind).watch?.({ connection, config }, onChange) ?? (() => undefined);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sources.values()].map(source => source.close?.()));
  }

  #run(query: Query, leaving: AbortSignal | undefined): MaybePromise<KnownOutcome> {
    const { clock } = this.#options;
    const { key, timelessKey, freshMs, timeoutMs } = query;
    const end = new AbortController();
    const begun = clock.monotonic();
    const arrived = (data: DataRows): Outcome => ({ data, tookMs: clock.monotonic() - begun });
    const asked = recover<Outcome>(
      () => chain(this.#inTurn(query, end.signal), arrived),
      error => ({ error: this.#coded(error) }),
    );
    const keep = (outcome: Outcome): KnownOutcome => {
      this.#store.keep(key, timelessKey, outcome, freshMs);
      return { outcome, ageMs: 0 };
    };
    if (!isPromise(asked)) return keep(asked);
    const late = (): Outcome => {
      end.abort();
      return { error: timedOut(query) };
    };
    // What is not waited for any more has no outcome.
    const answer = withDeadline(clock, timeoutMs, asked, late).then(outcome =>
      end.signal.aborted && !('error' in outcome && outcome.error.code === 'QUERY_TIMEOUT')
        ? { outcome, ageMs: 0 }
        : keep(outcome),
    );
    return this.#flights.add(key, answer, end, leaving);
  }

  /** Asks when it is the turn of the query; its secrets are read only then. */
  #inTurn(query: Query, signal: AbortSignal): MaybePromise<DataRows> {
    const { connection, kind, plan } = query;
    return chain(this.#slots.take(query.connectionKey, signal), giveBack => {
      const ask = (): MaybePromise<DataRows> => {
        const config = this.#options.secrets.fill(connection.config ?? {});
        return chain(this.#source(kind).ask({ connection, config, ...plan, signal }), data =>
          this.#options.secrets.masking.value(boundedRows(data)),
        );
      };
      return finishing(ask, giveBack);
    });
  }

  #source(kind: DataSourceKind): DataSource {
    const source = this.#sources.get(kind) ?? kind.open(this.#options);
    this.#sources.set(kind, source);
    return source;
  }

  #coded(error: unknown): DashError {
    const { masking } = this.#options.secrets;
    if (!(error instanceof DashError)) {
      return new DashError('QUERY_FAILED', 'The source is in an unexpected state; try again.', {}, error);
    }
    if (!masking.isNeeded) return error;
    return new DashError(error.code, masking.text(error.message), masking.value(error.details));
  }
}

/** Runs `work` and then `after`, whether it succeeds or fails, without a promise where it makes none. */
function finishing<T>(work: () => MaybePromise<T>, after: () => void): MaybePromise<T> {
  let result: MaybePromise<T>;
  try {
    result = work();
  } catch (error) {
    after();
    throw error;
  }
  if (isPromise(result)) return result.finally(after);
  after();
  return result;
}

function timedOut({ connection: { id }, timeoutMs }: Query): DashError {
  const message = `Connection "${id}" must answer within ${timeoutMs / 1_000} s; got nothing yet.`;
  return new DashError('QUERY_TIMEOUT', message, { connectionId: id });
}
