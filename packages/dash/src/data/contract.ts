import type { Json, JsonObject } from '../document/json.ts';
import type { ErrorEnvelope } from '../errors.ts';

/** One row of data: cells by column. */
export type Row = Readonly<Record<string, Json>>;

/** The span of time that a page looks at, in Unix milliseconds. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
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

/** Rows that came, and how. */
export interface Arrived {
  readonly state: 'ready' | 'empty';
  readonly data: DataRows;
  readonly window?: TimeWindow;
  /** Milliseconds since the rows came; absent where they stand in the document. */
  readonly ageMs?: number;
  /** Milliseconds that the source took. */
  readonly tookMs?: number;
  /** The query as it was asked, where it differs from the stored one. */
  readonly asked?: JsonObject;
}

/** What is known about the rows of an item (page and review 1.2). */
export type ItemData =
  | Arrived
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
  | { readonly state: 'not-asked'; readonly connectionType: string }
  /** The query of a proposal that waits for a person. */
  | { readonly state: 'held'; readonly connectionType: string; readonly query: JsonObject | undefined };

/** The rows of an item: what is known now, and what will be known when it is still being asked. */
export interface ItemAnswer {
  readonly now: ItemData;
  readonly later?: Promise<ItemData>;
}
