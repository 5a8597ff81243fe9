import { defined } from '@msg/foundation/json';
import type { NodeTypes } from '../catalog/node-types.ts';
import { cloneJson, isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { formatPointer, type Pointer, valueAt } from '../document/pointer.ts';
import { applyChangeset } from './apply.ts';
import { idOf, type NodePosition, NodeTree } from './node-tree.ts';
import { parseChangeset } from './parse.ts';
import { renamedExpression, renamedText } from './references.ts';
import { fieldAt, SCOPE_MEMBERS } from './target.ts';
import type { OperationData } from './undo-operation.ts';
import { type DeclaredName, type Use, usesOf } from './uses.ts';

/** A name that a changeset took away. */
export interface LostName extends DeclaredName {
  /** The only new name of the same kind and type, if there is exactly one. */
  readonly to?: string;
}

const LISTS = { variable: ['variables', 'name'], connection: ['connections', 'id'] } as const;

/** The names that are declared before a changeset and not after it. */
export function lostNames(before: JsonObject, after: JsonObject, types: NodeTypes): LostName[] {
  const [old, next] = [new NodeTree(before, types), new NodeTree(after, types)];
  const lists = (['variable', 'connection'] as const).flatMap(kind =>
    lost({ kind }, entries(before, kind), entries(after, kind)),
  );
  const ofNodes = old.ids().flatMap(id => {
    const [former, node] = [old.find(id)?.node, next.find(id)?.node];
    if (former === undefined || node === undefined || former['variables'] === undefined) return [];
    return lost({ kind: 'variable', within: id }, entries(former, 'variable'), entries(node, 'variable'));
  });
  return [...lists, ...ofNodes, ...lost({ kind: 'node' }, nodeTypesById(old), nodeTypesById(next))];
}

function lost(
  declared: Omit<DeclaredName, 'name'>,
  old: ReadonlyMap<string, string>,
  next: ReadonlyMap<string, string>,
): LostName[] {
  const gone = [...old.keys()].filter(name => !next.has(name));
  const [from, to] = [gone[0], [...next.keys()].filter(name => !old.has(name))];
  const isOne = gone.length === 1 && to.length === 1 && old.get(from ?? '') === next.get(to[0] ?? '');
  return gone.map(name => ({ ...declared, name, ...defined({ to: isOne ? to[0] : undefined }) }));
}

/** Declared names of a document or a node with their types. */
function entries(holder: JsonObject, kind: 'variable' | 'connection'): Map<string, string> {
  const [member, key] = LISTS[kind];
  const list = ownMember(holder, member);
  const objects = (Array.isArray(list) ? list : []).filter(isJsonObject);
  return new Map(objects.map(entry => [String(ownMember(entry, key)), typeOf(entry)]));
}

function nodeTypesById(tree: NodeTree): Map<string, string> {
  return new Map(tree.positions.map(({ node }) => [idOf(node) ?? '', typeOf(node)]));
}

function typeOf(value: JsonObject): string {
  return String(ownMember(value, 'type') ?? ownMember(value, '$ref'));
}

/**
 * The operations that carry a renaming to every use, for the end of the changeset: a field of the surface by itself, any
 * other use with its whole node.
 */
export function renamingOps(
  after: JsonObject,
  types: NodeTypes,
  names: readonly LostName[],
): OperationData[] {
  const ops: OperationData[] = [];
  let document = after;
  for (const name of names) {
    const further = opsOf(document, types, name);
    document = applyChangeset('', document, parseChangeset(further), types);
    ops.push(...further);
  }
  return ops;
}

function opsOf(document: JsonObject, types: NodeTypes, lostName: LostName): OperationData[] {
  const { name: from, to } = lostName;
  if (to === undefined) return [];
  const uses = usesOf(document, types, lostName);
  const renamed = cloneJson(document) as JsonObject;
  const places = new NodeTree(renamed, types);
  for (const use of uses) rename(renamed, places, use, { from, to });
  const whole = new Set(uses.filter(use => fieldOf(use) === undefined).map(({ position }) => position));
  const isCovered = (position: NodePosition | undefined): boolean =>
    position !== undefined && (whole.has(position) || isCovered(position.parent));
  const paths = uses.flatMap(use => {
    const { position } = use;
    // The topmost of nested whole nodes carries the others.
    if (position !== undefined && whole.has(position))
      return isCovered(position.parent) ? [] : [[use.nodeId]];
    return isCovered(position) ? [] : [fieldOf(use) as Pointer];
  });
  const distinct = new Map(paths.map(path => [formatPointer(path), path]));
  return [...distinct].map(([path, segments]) => ({
    op: 'replace',
    path,
    value: valueAtPath(renamed, places, segments) as Json,
  }));
}

/** The path of the field to replace; undefined where only the whole node can be replaced. */
function fieldOf({ nodeId, rest, position }: Use): Pointer | undefined {
  if (rest[0] !== 'config') return [nodeId, ...rest];
  const keys = rest.slice(1);
  for (let length = keys.length; length > 0; length--) {
    const field = keys.slice(0, length);
    if (fieldAt(position?.type?.surface ?? new Map(), field) !== undefined)
      return [nodeId, 'config', ...field];
  }
  return undefined;
}

function rename(
  document: JsonObject,
  tree: NodeTree,
  use: Use,
  { from, to }: { from: string; to: string },
): void {
  const parent = valueAtPath(document, tree, [use.nodeId, ...use.rest.slice(0, -1)]);
  const last = use.rest.at(-1) ?? '';
  const old = valueAt(parent ?? null, [last]);
  const next = renamedValue(old, use, from, to);
  if (Array.isArray(parent)) parent[Number(last)] = next;
  else if (isJsonObject(parent)) parent[last] = next;
}

function renamedValue(old: Json | undefined, { form }: Use, from: string, to: string): Json {
  if (form === '$var') return { $var: to };
  if (typeof old !== 'string') return to;
  if (form === 'expr') return renamedExpression(old, from, () => to);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the form's name
  return form === '${}' ? renamedText(old, from, () => to) : to;
}

/** The value at an id-rooted path. */
function valueAtPath(document: JsonObject, tree: NodeTree, [first = '', ...rest]: Pointer): Json | undefined {
  const member = first.startsWith('$') ? ownMember(SCOPE_MEMBERS, first) : undefined;
  const start = member === undefined ? tree.find(first)?.node : ownMember(document, String(member));
  return start === undefined ? undefined : valueAt(start, rest);
}
