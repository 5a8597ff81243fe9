import type { JsonObject } from '../document/json.ts';

/** What an item asks, and the row keys of the answer. */
export interface PanelQuery {
  readonly connectionId: string;
  readonly query: JsonObject;
  /** Row key of the time, or of the category. */
  readonly x: string;
  readonly value: string;
  /** Row key whose values are the series; undefined where all rows are one series. */
  readonly by: string | undefined;
  /** Name of the one series. */
  readonly name: string | undefined;
  /** True when each series has one row. */
  readonly isMoment: boolean;
  /** False for rows whose keys the file does not tell: only a table can show them. */
  readonly areKeysKnown: boolean;
}
