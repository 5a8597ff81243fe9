import type { MaybePromise } from '@msg/foundation/promises';
import type { Json, JsonObject } from '../document/json.ts';
import type { ErrorEnvelope } from '../errors.ts';
import type { ResolvedConnection } from '../resolve/tree.ts';

/** One row of data: cells by column. */
export type Row = Readonly<Record<string, Json>>;

/** The span of time that a page looks at, in Unix milliseconds. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** What a source is asked: the connection and the query of a binding, with variables put in. */
export interface DataRequest {
  readonly connection: ResolvedConnection;
  readonly query: JsonObject | undefined;
  readonly window: TimeWindow | undefined;
  /** Aborts when the time of the query is over. */
  readonly signal: AbortSignal;
}

/** Rows of one query. */
export interface DataRows {
  /** Column names in display order. */
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** True when the source had more rows. */
  readonly truncated?: true;
  readonly warnings?: readonly string[];
}

/** Where rows come from. It answers at once where the rows are at hand. */
export interface DataSource {
  /** @throws DashError QUERY_* with what a person needs to correct the query. */
  ask(request: DataRequest): MaybePromise<DataRows>;
}

/** One type of connection whose queries are run: a row of `kinds.ts`. */
export interface DataSourceKind {
  /** Name of the connection type. */
  readonly type: string;
  /** True when the rows stand in the document: the source answers at once and cannot fail. */
  readonly atHand: boolean;
  /** True when its queries are about a span of time. */
  readonly timed: boolean;
  open(): DataSource;
}

/** What is known about the rows of an item (page and review 1.2). */
export type ItemData =
  | { readonly state: 'ready' | 'empty'; readonly data: DataRows; readonly window?: TimeWindow }
  | { readonly state: 'loading'; readonly connectionId: string }
  | { readonly state: 'error'; readonly error: ErrorEnvelope }
  /** A refresh failed: the last rows, how old they are, and why there are no newer ones. */
  | {
      readonly state: 'stale';
      readonly data: DataRows;
      readonly ageMs: number;
      readonly error: ErrorEnvelope;
    }
  /** No kind of source runs queries of this connection type. */
  | { readonly state: 'not-asked'; readonly connectionType: string };

/** The rows of an item: what is known now, and what will be known when it is still being asked. */
export interface ItemAnswer {
  readonly now: ItemData;
  readonly later?: Promise<ItemData>;
}
