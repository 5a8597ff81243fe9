import { jsonEqual } from '#src/document/canonical.ts';
import type { Json } from '#src/document/json.ts';
import { formatPointer } from '#src/document/pointer.ts';
import { DashError } from '#src/errors.ts';
import { contentOf, idOf, type NodeTree, pathOf } from './node-tree.ts';
import { misfit, type NodeTypes, type Surface, type SurfaceField } from './node-types.ts';
import type { Operation } from './operation.ts';
import { classify, type NodeTarget, type Target } from './target.ts';

const LONGEST_LIST = 50;

/** The end of an operation under guard, for the details of an error. */
export interface GuardedEnd {
  readonly index: number;
  readonly operation: Operation;
  /** The author's pointer of this end. */
  readonly pointer: string;
  readonly effect: 'put' | 'remove' | 'read';
}

/**
 * Refuses an edit that its place does not allow, whatever the value (dashboard details 11.3 and 11.4).
 *
 * @throws DashError PATCH_OFF_SURFACE or PATCH_STRUCTURE_INVALID.
 */
export function guardPlace(tree: NodeTree, types: NodeTypes, target: Target, end: GuardedEnd): void {
  if (end.effect === 'read') return;
  const found = classify(target);
  if (found === 'immutable') throw offSurface(types, target, end, 'immutable');
  if (found === 'theme' && (end.operation.op === 'move' || end.operation.op === 'copy')) {
    throw offSurface(types, target, end, 'immutable');
  }
  if ((found === 'config-field' || found === 'scope-field') && fieldOf(types, target) === undefined) {
    throw offSurface(types, target, end, undefined, tree);
  }
  if (target.kind === 'node' && found === 'whole-node') guardWholeNode(target, end);
}

/** The root and a wrapper's content cannot go away; both can be replaced. */
function guardWholeNode({ place }: NodeTarget, end: GuardedEnd): void {
  const { op } = end.operation;
  if (place.slot === 'root' && op !== 'replace' && op !== 'add') {
    throw structureInvalid(end, 'The root node can be replaced, not removed, moved or copied over.', {
      reason: 'root',
    });
  }
  if (place.slot !== 'content' || place.parent === undefined || end.effect !== 'remove') return;
  const wrapper = place.parent;
  const details = { path: pathOf(wrapper), nodeId: idOf(wrapper.node), count: 0 };
  const message = `A wrapper holds exactly one node; "${details.nodeId}" would hold none.`;
  throw structureInvalid(end, message, { cause: { code: 'WRAPPER_CHILD_COUNT_INVALID', message, details } });
}

/**
 * Checks a value on its way into a surface field; other places take any value here and leave it to resolution.
 *
 * @throws DashError PATCH_VALUE_INVALID `{index, pointer, field, expected, allowed?}`.
 */
export function guardValue(types: NodeTypes, target: Target, value: Json, end: GuardedEnd): void {
  const found = classify(target);
  if (found !== 'config-field' && found !== 'scope-field') return;
  const field = fieldOf(types, target);
  if (field === undefined || misfit(field, value, jsonEqual) === undefined) return;
  const key = fieldKey(target);
  const allowed = field.allowed === undefined ? {} : { allowed: field.allowed.slice(0, LONGEST_LIST) };
  const wanted =
    field.allowed === undefined ? `of type ${field.type}` : `one of ${JSON.stringify(field.allowed)}`;
  throw new DashError('PATCH_VALUE_INVALID', `The value of "${key}" must be ${wanted.slice(0, 300)}.`, {
    index: end.index,
    pointer: end.pointer,
    field: key,
    expected: field.type,
    ...allowed,
  });
}

/** PATCH_STRUCTURE_INVALID at one operation. */
export function structureInvalid(
  end: GuardedEnd,
  message: string,
  details: Record<string, unknown>,
): DashError {
  return new DashError('PATCH_STRUCTURE_INVALID', message, {
    index: end.index,
    pointer: end.pointer,
    ...details,
  });
}

/** The surface field that a target addresses exactly; undefined when its path is not on the surface. */
export function fieldOf(types: NodeTypes, target: Target): SurfaceField | undefined {
  const path = target.kind === 'scope' ? target.rest : target.rest.slice(1);
  // A dot inside one segment is no step: `/x/config/grid.gap` is not the field `grid.gap`.
  if (path.length === 0 || path.some(segment => segment.includes('.'))) return undefined;
  return surfaceOf(types, target).get(path.join('.'));
}

function surfaceOf(types: NodeTypes, target: Target): Surface {
  if (target.kind === 'node') return target.place.type?.surface ?? new Map();
  const { scope } = target;
  return scope === '$manifest' || scope === '$theme' ? types.scopeSurface(scope) : new Map();
}

/** The field as an error names it: the tail of the pointer with dots, without `config`. */
function fieldKey(target: Target): string {
  const inConfig = target.kind === 'node' && target.rest[0] === 'config' && target.rest.length > 1;
  return (inConfig ? target.rest.slice(1) : target.rest).join('.');
}

function offSurface(
  types: NodeTypes,
  target: Target,
  end: GuardedEnd,
  reason?: string,
  tree?: NodeTree,
): DashError {
  const nodeId = target.kind === 'node' ? idOf(target.place.node) : target.scope;
  const field = fieldKey(target);
  const surface = [...surfaceOf(types, target).keys()].sort().slice(0, LONGEST_LIST);
  const suggestedPath =
    target.kind === 'node' && tree !== undefined ? pathOnContent(types, tree, target) : undefined;
  const cannot = reason === undefined ? 'is not on its surface' : 'cannot be edited';
  const instead = suggestedPath === undefined ? '' : ` Edit ${suggestedPath} instead.`;
  return new DashError('PATCH_OFF_SURFACE', `"${field}" of "${nodeId}" ${cannot}.${instead}`, {
    index: end.index,
    op: end.operation.op,
    pointer: end.pointer,
    nodeId,
    field,
    surface,
    ...(suggestedPath === undefined ? {} : { suggestedPath }),
    ...(reason === undefined ? {} : { reason }),
  });
}

/** The same field on a wrapper's content, where a field of that name is on the surface. */
function pathOnContent(types: NodeTypes, tree: NodeTree, target: NodeTarget): string | undefined {
  const content = tree.placeOf(contentOf(target.place));
  const id = content === undefined ? undefined : idOf(content.node);
  if (content === undefined || id === undefined) return undefined;
  const onContent: Target = { kind: 'node', place: content, rest: target.rest };
  return fieldOf(types, onContent) === undefined ? undefined : formatPointer([id, ...target.rest]);
}
