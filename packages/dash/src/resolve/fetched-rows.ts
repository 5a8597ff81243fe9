import type { Catalog, ItemType } from '../catalog/types.ts';
import { type Violation, violationsOf } from '../catalog/violations.ts';
import { isJsonObject, type Json, type JsonObject } from '../document/json.ts';
import type { DashError } from '../errors.ts';
import { KeySuggestions, RowChecks } from './row-checks.ts';
import { rowFieldsError, shapeInvalid } from './row-contract.ts';
import type { ResolvedNode } from './tree.ts';

/**
 * Checks rows that a source has fetched as resolution checks those of the document (dashboard details 7.4). Where the
 * type of an item refuses null, as a table does, null cells are left out of the check (page and review 5.1).
 */
export class FetchedRows {
  readonly #catalog: Catalog;
  /** Rows that several items show are read once. */
  readonly #checks = new WeakMap<readonly Json[], RowChecks>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** RESULT_SHAPE_INVALID for rows that the item cannot show; undefined for all others. */
  check(
    { id: nodeId, type: { name, id }, config = {}, binding }: ResolvedNode,
    rows: readonly Json[],
  ): DashError | undefined {
    const type = this.#catalog.items.get(name)?.find(version => version.id === id);
    if (type === undefined) return undefined;
    const checks = this.#checks.get(rows) ?? new RowChecks(rows, new KeySuggestions());
    this.#checks.set(rows, checks);
    const at = { nodeId, connectionId: binding?.connectionId };
    const mismatches = checks.once(`type ${id}`, () => mismatchesOf(type, rows));
    if (mismatches.length > 0) return shapeInvalid(type, mismatches, at);
    return rowFieldsError(type, checks, config, at);
  }
}

function mismatchesOf({ validateResult }: ItemType, rows: readonly Json[]): readonly Violation[] {
  if (validateResult === undefined || validateResult(rows)) return [];
  const { filled, places } = withoutNulls(rows);
  if (validateResult(filled)) return [];
  return violationsOf(validateResult).map(violation => ({
    ...violation,
    pointer: placeOf(violation.pointer, places),
  }));
}

/** The rows without their null cells; a row of nothing else is left out, because it is drawn empty. */
function withoutNulls(rows: readonly Json[]): { filled: Json[]; places: number[] } {
  const filled: Json[] = [];
  const places: number[] = [];
  for (const [place, row] of rows.entries()) {
    const item = isJsonObject(row) ? cellsOf(row) : row;
    if (
      isJsonObject(row) &&
      isJsonObject(item) &&
      Object.keys(item).length === 0 &&
      Object.keys(row).length > 0
    )
      continue;
    filled.push(item);
    places.push(place);
  }
  return { filled, places };
}

const cellsOf = (row: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null));

/** A pointer into the rows that were checked, as one into those that were fetched. */
function placeOf(pointer: string, places: readonly number[]): string {
  return pointer.replace(/^\/(\d+)/, (_, index: string) => `/${places[Number(index)] ?? index}`);
}
