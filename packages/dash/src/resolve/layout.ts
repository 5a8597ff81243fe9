import { display, displayValue } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { GridPlacement, ResolvedFlow, ResolvedGrid } from './tree.ts';

const COORDINATES = ['colStart', 'colSpan', 'rowStart', 'rowSpan'];
const MAX_IMPLICIT_ROWS = 1_000;
const MAX_FLOW_COLUMNS = 12;

/** A child, for the layout. */
export interface Placed {
  readonly path: string;
  readonly id: string;
  readonly placement: JsonObject | undefined;
}

/**
 * Lays children out on a grid (dashboard details 3.1 to 3.3).
 * @throws DashError LAYOUT_PLACEMENT_INVALID, LAYOUT_PLACEMENT_OUT_OF_BOUNDS.
 */
export function layOutGrid(grid: JsonObject, children: readonly Placed[]): ResolvedGrid {
  const columns = weights(ownMember(grid, 'columns')) ?? [1];
  const declared = weights(ownMember(grid, 'rows'));
  const gap = ownMember(grid, 'gap');
  const explicit = children.map(child => explicitPlacement(child, columns.length, declared?.length));
  const free = freeCells(
    explicit.filter(place => place !== undefined),
    columns.length,
  );
  const placements = explicit.map(place => place ?? (free.next().value as GridPlacement));
  const needed = placements.reduce(
    (most, { rowStart, rowSpan }) => Math.max(most, rowStart + rowSpan - 1),
    1,
  );
  const rows = [...(declared ?? [])];
  while (rows.length < needed) rows.push(1);
  return {
    columns: fractions(columns),
    rows: fractions(rows),
    gap: typeof gap === 'number' ? gap : 0,
    placements,
  };
}

/**
 * Fills children row by row (dashboard details 3.4).
 * @throws DashError LAYOUT_FORM_COLUMNS_INVALID `{path, nodeId, value}`.
 */
export function layOutFlow(columns: Json, count: number, path: string, nodeId: string): ResolvedFlow {
  if (
    typeof columns !== 'number' ||
    !Number.isInteger(columns) ||
    columns < 1 ||
    columns > MAX_FLOW_COLUMNS
  ) {
    const message = `Node "${nodeId}": columns must be an integer from 1 to ${MAX_FLOW_COLUMNS}; got ${displayValue(columns)}.`;
    throw new DashError('LAYOUT_FORM_COLUMNS_INVALID', message, { path, nodeId, value: columns });
  }
  const cells = Array.from({ length: count }, (_, index) => ({
    column: (index % columns) + 1,
    row: Math.floor(index / columns) + 1,
  }));
  return { mode: 'flow', columns, cells };
}

function weights(value: Json | undefined): number[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every(weight => typeof weight === 'number' && weight > 0) ? (value as number[]) : undefined;
}

/** Divides by the largest weight first, so that the sum of huge weights stays finite. */
function fractions(axis: readonly number[]): number[] {
  const largest = axis.reduce((most, weight) => Math.max(most, weight), 0);
  const scaled = axis.map(weight => weight / largest);
  const total = scaled.reduce((sum, weight) => sum + weight, 0);
  return scaled.map(weight => weight / total);
}

function explicitPlacement(
  child: Placed,
  columns: number,
  rows: number | undefined,
): GridPlacement | undefined {
  const { placement, path, id: nodeId } = child;
  if (placement === undefined || Object.keys(placement).length === 0) return undefined;
  for (const [field, value] of Object.entries(placement)) {
    if (COORDINATES.includes(field) && Number.isSafeInteger(value) && (value as number) >= 1) continue;
    const message = COORDINATES.includes(field)
      ? `Node "${nodeId}": placement.${field} must be an integer of at least 1; got ${displayValue(value)}.`
      : `Placement coordinate "${display(field)}" of node "${nodeId}" does not exist; known: ${COORDINATES.join(', ')}.`;
    throw new DashError('LAYOUT_PLACEMENT_INVALID', message, { path, nodeId, field, value });
  }
  const read = (field: string) => (ownMember(placement, field) as number | undefined) ?? 1;
  const place = {
    colStart: read('colStart'),
    colSpan: read('colSpan'),
    rowStart: read('rowStart'),
    rowSpan: read('rowSpan'),
  };
  requireWithin(child, 'column', place.colStart, place.colSpan, columns);
  requireWithin(child, 'row', place.rowStart, place.rowSpan, rows ?? MAX_IMPLICIT_ROWS);
  return place;
}

function requireWithin(
  { path, id: nodeId }: Placed,
  axis: string,
  start: number,
  span: number,
  tracks: number,
): void {
  if (start + span - 1 <= tracks) return;
  const message = `Node "${nodeId}" must be placed up to ${axis} ${tracks}; got an end at ${start + span - 1}.`;
  throw new DashError('LAYOUT_PLACEMENT_OUT_OF_BOUNDS', message, { path, nodeId, axis, start, span, tracks });
}

/**
 * The cells that no explicit placement covers, row by row; reads the placements of a row once, and skips rows that are
 * completely covered.
 */
function* freeCells(explicit: readonly GridPlacement[], columns: number): Generator<GridPlacement, never> {
  for (let row = 1; ; ) {
    const covering = explicit
      .filter(({ rowStart, rowSpan }) => rowStart <= row && row < rowStart + rowSpan)
      .sort((a, b) => a.colStart - b.colStart);
    let column = 1;
    let full = true;
    for (const { colStart, colSpan } of [...covering, { colStart: columns + 1, colSpan: 0 }]) {
      for (; column < colStart; column++) {
        full = false;
        yield { colStart: column, colSpan: 1, rowStart: row, rowSpan: 1, auto: true };
      }
      column = Math.max(column, colStart + colSpan);
    }
    row = full ? Math.min(...covering.map(({ rowStart, rowSpan }) => rowStart + rowSpan)) : row + 1;
  }
}

/** The member of a config that describes the layout; `{}` when absent. */
export function layoutConfig(config: JsonObject, member: 'grid' | 'layout'): JsonObject {
  const value = ownMember(config, member);
  return isJsonObject(value) ? value : {};
}
