import type { Row } from '../data/contract.ts';
import type { JsonObject } from '../document/json.ts';

/** One chart to draw. */
export interface DrawingRequest {
  readonly nodeId: string;
  /** The resolved config of the chart. */
  readonly config: JsonObject;
  readonly rows: readonly Row[];
  /** Pixels of its cell on the page. */
  readonly width: number;
  readonly height: number;
  /** Numbers that the axis of values has room for, so that two drawings have one scale. */
  readonly reach?: readonly number[];
  /** Names of series that the legend has switched off. */
  readonly hidden?: readonly string[];
}

/** A finished chart as HTML that was escaped where it was made: legend, picture, the same numbers as a table. */
interface Drawing {
  readonly html: string;
}

/** Draws charts outside of the main thread. */
export interface ChartPainter {
  /** @throws DashError RENDER_FAILED, which is the state of that one item. */
  draw(request: DrawingRequest): Promise<Drawing>;
}
