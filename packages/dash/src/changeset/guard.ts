import { mismatch } from '../catalog/node-types.ts';
import { jsonEqual } from '../document/canonical.ts';
import { display, displayValue } from '../document/display.ts';
import type { Json } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { idOf, type NodePosition, type NodeTree, pathOf } from './node-tree.ts';
import type { Operation } from './operation.ts';
import { type Edit, ruleOf } from './rules.ts';
import { nearestKeys, surfaceHelp } from './surface-help.ts';
import type { ResolvedTarget } from './target.ts';

const LONGEST_LIST = 50;

/** The `path` or the `from` of an operation: the edit there, and the author's pointer for errors. */
export interface OperationLocation {
  readonly index: number;
  readonly operation: Operation;
  readonly pointer: string;
  readonly edit: Edit | 'read';
}

/**
 * Refuses an edit that its target does not allow for any value (dashboard details 11.3 and 11.4).
 * @throws DashError PATCH_OFF_SURFACE or PATCH_STRUCTURE_INVALID.
 */
export function guardTarget(tree: NodeTree, target: ResolvedTarget, location: OperationLocation): void {
  if (location.edit === 'read') return;
  const rule = ruleOf(target, location.edit);
  if (rule === 'immutable') throw offSurface(tree, target, location, 'immutable');
  if (rule === 'surface' && target.field === undefined) {
    throw offSurface(tree, target, location);
  }
  if (rule === 'root') {
    const message = `${location.operation.op} on the root node is not allowed: it can be replaced only.`;
    throw structureInvalid(location, message, { reason: 'root' });
  }
  if (rule === 'content') throw contentMissing(target, location);
}

/** A wrapper without its content, with the error of the resolver as cause. */
function contentMissing({ parent }: ResolvedTarget, location: OperationLocation): DashError {
  const wrapper = parent as NodePosition;
  const details = { path: pathOf(wrapper), nodeId: idOf(wrapper.node), count: 0 };
  const message = `Content of wrapper "${details.nodeId}" must be exactly one node; got none.`;
  return structureInvalid(location, message, {
    cause: { code: 'WRAPPER_CHILD_COUNT_INVALID', message, details },
  });
}

/**
 * Checks a value for a surface field; for other targets the resolution checks the value.
 * @throws DashError PATCH_VALUE_INVALID `{index, pointer, field, expected, allowed?}`.
 */
export function guardValue(target: ResolvedTarget, value: Json, location: OperationLocation): void {
  const { field } = target;
  if (field === undefined || mismatch(field, value, jsonEqual) === undefined) return;
  const key = fieldName(target);
  const allowed = field.allowed === undefined ? {} : { allowed: field.allowed.slice(0, LONGEST_LIST) };
  const wanted =
    field.allowed === undefined ? `of type ${field.type}` : `one of ${JSON.stringify(field.allowed)}`;
  throw new DashError(
    'PATCH_VALUE_INVALID',
    `The value of "${key}" must be ${wanted.slice(0, 300)}; got ${displayValue(value)}.`,
    {
      index: location.index,
      pointer: location.pointer,
      field: key,
      expected: field.type,
      ...allowed,
    },
  );
}

/** The error PATCH_STRUCTURE_INVALID of one operation. */
export function structureInvalid(
  location: OperationLocation,
  message: string,
  details: Record<string, unknown>,
): DashError {
  return new DashError('PATCH_STRUCTURE_INVALID', message, {
    index: location.index,
    pointer: location.pointer,
    ...details,
  });
}

/** The field's name in errors: the tail of the pointer with dots, without `config`. */
function fieldName({ kind, rest }: ResolvedTarget): string {
  const isInConfig = kind === 'node' && rest[0] === 'config' && rest.length > 1;
  return (isInConfig ? rest.slice(1) : rest).join('.');
}

function offSurface(
  tree: NodeTree,
  target: ResolvedTarget,
  location: OperationLocation,
  reason?: string,
): DashError {
  const field = fieldName(target);
  const { suggestedPath, hint, stored } = surfaceHelp(tree, target);
  const rule = reason === undefined ? 'it is not on the surface' : 'it is immutable';
  const instead = suggestedPath === undefined ? '' : `; edit ${display(suggestedPath)} instead`;
  return new DashError(
    'PATCH_OFF_SURFACE',
    `${location.operation.op} on "${display(field)}" of "${display(target.id ?? '')}" is not allowed: ${rule}${instead}.`,
    {
      index: location.index,
      op: location.operation.op,
      pointer: location.pointer,
      nodeId: target.id,
      field,
      reason,
      suggestedPath,
      hint,
      stored,
      surface: nearestKeys(target, field).slice(0, LONGEST_LIST),
    },
  );
}
