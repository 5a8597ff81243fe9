import type { Cursor } from './cursor.ts';

/** The model of a file: classic, or the resources of version 1 (classic in a `spec`) and 2. */
export type GrafanaModel = 'classic' | 'v1' | 'v2';

/** Columns of Grafana's grid. */
export const GRID_COLUMNS = 24;

/** Where a panel stands: 24 columns, rows of any number. */
export interface PanelArea {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  /** The places of the four numbers in the file, where it has them. */
  readonly cursors?: Readonly<Record<'x' | 'y' | 'w' | 'h', Cursor>>;
}

/** One query of a panel. */
export interface TargetSource {
  /** All of it. */
  readonly whole: Cursor;
  /** Its members: `expr`, `legendFormat`, `rawSql` and so on. */
  readonly spec: Cursor;
  readonly refId: Cursor;
  readonly hidden: Cursor;
  /** Name of the plugin that is asked; undefined when the file does not say. */
  readonly plugin: Cursor;
  /** `uid` of the data source, or its name. */
  readonly source: Cursor;
}

/** A panel, whichever model it is from. */
export interface PanelSource {
  readonly whole: Cursor;
  readonly type: Cursor;
  readonly id: Cursor;
  readonly title: Cursor;
  readonly description: Cursor;
  readonly options: Cursor;
  /** Settings of all fields: unit, decimals, thresholds. */
  readonly defaults: Cursor;
  /** Span of its queries. */
  readonly span: Cursor;
  readonly targets: readonly TargetSource[];
  /** The data source of queries that name none. */
  readonly source?: Cursor;
  readonly area: PanelArea;
}

/** Panels that stand together, with the title above them. */
export interface RowSource {
  /** What Grafana has for the row; absent for panels outside of rows. */
  readonly whole?: Cursor;
  readonly title?: Cursor;
  /** A title that is not shown. */
  readonly hiddenTitle?: Cursor;
  readonly panels: readonly PanelSource[];
}

/** A variable: its kind by the name that the classic model has for it, and its members. */
export interface VariableSource {
  readonly kind: string;
  readonly kindCursor: Cursor;
  readonly spec: Cursor;
}

/** A dashboard, whichever model it is from. */
export interface DashboardSource {
  readonly model: GrafanaModel;
  readonly title: Cursor;
  readonly description: Cursor;
  readonly tags: Cursor;
  /** What a document id can be made of. */
  readonly name: Cursor;
  readonly refresh: Cursor;
  readonly from: Cursor;
  readonly to: Cursor;
  readonly rows: readonly RowSource[];
  /** All panels, where the layout names those that it shows. */
  readonly elements?: Cursor;
  readonly variables: readonly VariableSource[];
}
