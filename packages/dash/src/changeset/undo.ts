import type { NodeTypes } from '../catalog/node-types.ts';
import { jsonEqual } from '../document/canonical.ts';
import {
  cloneJson,
  isJsonObject,
  type Json,
  type JsonObject,
  ownMember,
  setMember,
} from '../document/json.ts';
import { DashError } from '../errors.ts';
import { applyChangeset } from './apply.ts';
import { NodeTree } from './node-tree.ts';
import { parseChangeset } from './parse.ts';
import { fieldOperations } from './undo-fields.ts';
import { type OperationData, writeOperation } from './undo-operation.ts';
import { structureOperations } from './undo-structure.ts';

/** Above either bound the whole root and the whole scopes are replaced (review details 4). */
const MOST_OPERATIONS = 200;
const MOST_BYTES = 64 * 1024;

/** A changeset that leads back to an older state. */
export interface UndoChangeset {
  readonly ops: readonly OperationData[];
  /** Fields that no changeset can touch and that stay as they are: `manifest.author`, `manifest.formatVersion` and their kin. */
  readonly kept: readonly string[];
}

/** Members of the envelope that changesets reach; of the manifest, its surface. */
const REACHED: ReadonlySet<string> = new Set(['manifest', 'root', 'variables', 'connections', 'theme']);

/**
 * The changeset from `current` to `target`, under all guards: surface fields one by one, other differences by replacing
 * the node, children by move, add and remove (review details 4). Applied, it gives `target` as JSON data but for `kept`.
 * @param id The document's id, for errors.
 * @throws DashError PATCH_* when `target` holds what no changeset may write, such as a node without a legal id.
 */
export function undoOps(
  id: string,
  current: JsonObject,
  target: JsonObject,
  types: NodeTypes,
): UndoChangeset {
  const { reachable, kept } = reachableFrom(current, target, types);
  const ops = smallOperations(id, current, reachable, types);
  if (ops !== undefined) return { ops, kept };
  const whole = wholeOperations(current, reachable, types);
  apply(id, current, whole, types);
  return { ops: whole, kept };
}

/** Undefined when they are too many, too large, or do not lead to the target. */
function smallOperations(
  id: string,
  current: JsonObject,
  target: JsonObject,
  types: NodeTypes,
): readonly OperationData[] | undefined {
  try {
    const scopes = scopeOperations(current, target, types);
    const moved = structureOperations(new NodeTree(current, types), new NodeTree(target, types));
    const between = apply(id, current, [...scopes, ...moved], types);
    const fields = fieldOperations(new NodeTree(between, types), new NodeTree(target, types));
    const ops = [...scopes, ...moved, ...fields];
    const isSmall = ops.length <= MOST_OPERATIONS && Buffer.byteLength(JSON.stringify(ops)) <= MOST_BYTES;
    return isSmall && jsonEqual(apply(id, between, fields, types), target) ? ops : undefined;
  } catch (error) {
    if (error instanceof DashError) return undefined;
    throw error;
  }
}

function wholeOperations(current: JsonObject, target: JsonObject, types: NodeTypes): OperationData[] {
  const manifest = scopeFields('$manifest', current, target, types);
  const scopes = (['variables', 'connections', 'theme'] as const).flatMap(member =>
    writeOperation(`/$${member}`, ownMember(current, member), ownMember(target, member)),
  );
  const root = ownMember(target, 'root');
  return [
    ...manifest,
    ...scopes,
    ...(root === undefined ? [] : [{ op: 'replace', path: '/$root', value: root }]),
  ];
}

/** The target as far as a changeset can lead to it: everything else stays as it is in the current document. */
function reachableFrom(current: JsonObject, target: JsonObject, types: NodeTypes) {
  const unreachable: string[] = [];
  const surface = types.scopeSurface('$manifest');
  const reachable = cloneJson(target);
  const keep = (from: JsonObject, into: JsonObject, isReached: (name: string) => boolean, prefix: string) => {
    for (const name of new Set([...Object.keys(from), ...Object.keys(into)])) {
      if (isReached(name) || jsonEqual(ownMember(from, name), ownMember(into, name))) continue;
      unreachable.push(prefix + name);
      const value = ownMember(from, name);
      if (value === undefined) delete into[name];
      else setMember(into, name, cloneJson(value));
    }
  };
  keep(current, reachable, name => REACHED.has(name), '');
  const [old, manifest] = [ownMember(current, 'manifest'), ownMember(reachable, 'manifest')];
  if (isJsonObject(old) && isJsonObject(manifest)) {
    keep(old, manifest, name => surface.has(name), 'manifest.');
  }
  return { reachable, kept: unreachable };
}

function scopeOperations(current: JsonObject, target: JsonObject, types: NodeTypes): OperationData[] {
  const [old, next] = [ownMember(current, 'theme'), ownMember(target, 'theme')];
  const theme =
    isJsonObject(old) && isJsonObject(next)
      ? scopeFields('$theme', current, target, types)
      : writeOperation('/$theme', old, next);
  return [
    ...scopeFields('$manifest', current, target, types),
    ...entryOperations('/$variables', ownMember(current, 'variables'), ownMember(target, 'variables')),
    ...entryOperations('/$connections', ownMember(current, 'connections'), ownMember(target, 'connections')),
    ...theme,
  ];
}

function scopeFields(
  scope: '$manifest' | '$theme',
  current: JsonObject,
  target: JsonObject,
  types: NodeTypes,
): OperationData[] {
  const member = scope.slice(1);
  const [old, next] = [ownMember(current, member), ownMember(target, member)];
  if (!isJsonObject(old) || !isJsonObject(next)) return [];
  return [...types.scopeSurface(scope).keys()].flatMap(name =>
    writeOperation(`/${scope}/${name}`, ownMember(old, name), ownMember(next, name)),
  );
}

/** Of a list of declarations: what is between the equal ones at its start and at its end. */
function entryOperations(scope: string, from: Json | undefined, to: Json | undefined): OperationData[] {
  if (!Array.isArray(from) || !Array.isArray(to)) return writeOperation(scope, from, to);
  let start = 0;
  while (start < Math.min(from.length, to.length) && jsonEqual(from[start], to[start])) start++;
  let end = 0;
  const most = Math.min(from.length, to.length) - start;
  while (end < most && jsonEqual(from.at(-1 - end), to.at(-1 - end))) end++;
  const [old, next] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  const both = Math.min(old.length, next.length);
  const at = (index: number): string => `${scope}/${start + index}`;
  return [
    ...next.slice(0, both).flatMap((value, index) => writeOperation(at(index), old[index], value)),
    ...next
      .slice(both)
      .map((value, index) => ({ op: 'add', path: at(both + index), value: cloneJson(value) })),
    ...old.slice(both).map(() => ({ op: 'remove', path: at(both) })),
  ];
}

function apply(
  id: string,
  document: JsonObject,
  ops: readonly OperationData[],
  types: NodeTypes,
): JsonObject {
  return applyChangeset(id, document, parseChangeset([...ops]), types);
}
