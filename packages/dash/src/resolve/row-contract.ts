import type { ItemType } from '../catalog/types.ts';
import { cutViolations, type Violation, violationsOf, whyOf } from '../catalog/violations.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { RowChecks } from './row-checks.ts';

/** The item that shows rows. */
export interface RowPlace {
  /** Where the node stands in the document; unknown after the resolution. */
  readonly path?: string;
  readonly nodeId: string;
  readonly connectionId: string | undefined;
}

/** Rows that are not as the type of an item says (dashboard details 7.4). */
export function shapeError(type: ItemType, checks: RowChecks, at: RowPlace): DashError | undefined {
  const { validateResult, id } = type;
  if (validateResult === undefined) return undefined;
  const mismatches = checks.once(`type ${id}`, () =>
    validateResult(checks.rows) ? [] : violationsOf(validateResult),
  );
  return mismatches.length === 0 ? undefined : shapeInvalid(type, mismatches, at);
}

/** Row keys that a config names and no row has, or whose cells are of another kind. */
export function rowFieldsError(
  type: ItemType,
  checks: RowChecks,
  config: JsonObject,
  at: RowPlace,
): DashError | undefined {
  if (checks.objects.length === 0) return undefined;
  const violations = type.rowFields
    .filter(({ applies }) => applies === undefined || applies(config))
    .flatMap(({ path, cell }) => keysAt(config, path).flatMap(key => checks.violationsFor(cell, key)));
  const distinct = [...new Map(violations.map(violation => [JSON.stringify(violation), violation])).values()];
  return distinct.length === 0 ? undefined : shapeInvalid(type, cutViolations(distinct), at);
}

/** The row keys that a config names under `path`; `[]` means every element. */
function keysAt(config: JsonObject, path: string): string[] {
  let values: Json[] = [config];
  for (const step of path.split('.')) {
    const name = step.replace('[]', '');
    values = values
      .map(value => (isJsonObject(value) ? ownMember(value, name) : undefined))
      .filter(value => value !== undefined);
    if (step.endsWith('[]')) values = values.flatMap(value => (Array.isArray(value) ? value : []));
  }
  return values.filter(value => typeof value === 'string');
}

/** RESULT_SHAPE_INVALID with what is wrong with the rows of an item. */
export function shapeInvalid(type: ItemType, violations: readonly Violation[], at: RowPlace): DashError {
  const message = `Rows of node "${at.nodeId}" must be as type "${type.name}" says${whyOf(violations)}.`;
  return new DashError('RESULT_SHAPE_INVALID', message, { ...at, violations });
}
