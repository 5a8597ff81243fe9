import type { NodeTypes, Surface, SurfaceField, SurfaceScope } from '../catalog/node-types.ts';
import { isJsonObject, ownMember } from '../document/json.ts';
import { childOf, type Pointer } from '../document/pointer.ts';
import { contentOf, idOf, type NodePosition, type NodeTree, pointerOf } from './node-tree.ts';

/** Scopes of a document, each with its envelope member. */
export const SCOPE_MEMBERS = {
  $manifest: 'manifest',
  $variables: 'variables',
  $connections: 'connections',
  $theme: 'theme',
} as const;

type Scope = keyof typeof SCOPE_MEMBERS;

/** The rows of the table in dashboard details 11.3; a whole node is three of them, by its slot. */
export type TargetClass =
  | 'root-node'
  | 'child-node'
  | 'content-node'
  | 'child-list'
  | 'child-slot'
  | 'content-slot'
  | 'config-field'
  | 'node-data'
  | 'scope-field'
  | 'theme'
  | 'scope-data'
  | 'immutable';

/** The target of one location of an operation in the current document. */
export interface ResolvedTarget {
  readonly kind: 'node' | 'scope';
  readonly class: TargetClass;
  /** The literal pointer in the document. */
  readonly pointer: Pointer;
  /** The part of the pointer below the node or the scope. */
  readonly rest: Pointer;
  /** Id of the node, or keyword of the scope. */
  readonly id: string | undefined;
  /** The deepest node that the pointer reaches; undefined for a scope. */
  readonly position: NodePosition | undefined;
  /** The parent of a node target; undefined for the root and for data. */
  readonly parent: NodePosition | undefined;
  /** The slot of `parent` in which a target of nodes is. */
  readonly slot: NodePosition['slot'];
  readonly surface: Surface;
  /** The field of the surface that the pointer names exactly. */
  readonly field: SurfaceField | undefined;
}

const NO_SURFACE: Surface = new Map();

/**
 * Resolves an id-rooted pointer (dashboard details 11.2); undefined when its first segment names neither a node nor a
 * scope.
 */
export function resolveTarget(tree: NodeTree, types: NodeTypes, path: Pointer): ResolvedTarget | undefined {
  const [first = '', ...rest] = path;
  if (isScope(first)) return scopeTarget(types, first, rest);
  const start = first === '$root' ? tree.root : tree.find(first);
  return start === undefined ? undefined : nodeTarget(...deepest(tree, start, rest));
}

/** The field of a surface that `path` names; a dot inside one segment does not divide it. */
export function fieldAt(surface: Surface, path: Pointer): SurfaceField | undefined {
  if (path.length === 0 || path.some(segment => segment.includes('.'))) return undefined;
  return surface.get(path.join('.'));
}

function scopeTarget(types: NodeTypes, scope: Scope, rest: Pointer): ResolvedTarget {
  const surface = hasSurface(scope) ? types.scopeSurface(scope) : NO_SURFACE;
  return {
    kind: 'scope',
    class: classOfScope(scope, rest),
    pointer: [SCOPE_MEMBERS[scope], ...rest],
    rest,
    id: scope,
    position: undefined,
    parent: undefined,
    slot: 'root',
    surface,
    field: fieldAt(surface, rest),
  };
}

function nodeTarget(position: NodePosition, rest: Pointer): ResolvedTarget {
  const isNode = rest.length === 0;
  const targetClass = classOfNode(position, rest);
  const surface = position.type?.surface ?? NO_SURFACE;
  return {
    kind: 'node',
    class: targetClass,
    pointer: [...pointerOf(position), ...rest],
    rest,
    id: idOf(position.node),
    position,
    parent: isNode ? position.parent : position,
    slot: isNode ? position.slot : targetClass === 'content-slot' ? 'content' : 'child',
    surface,
    field: targetClass === 'config-field' ? fieldAt(surface, rest.slice(1)) : undefined,
  };
}

function classOfScope(scope: Scope, rest: Pointer): TargetClass {
  if (!hasSurface(scope)) return 'scope-data';
  if (rest.length > 0) return 'scope-field';
  return scope === '$theme' ? 'theme' : 'immutable';
}

function classOfNode(position: NodePosition, rest: Pointer): TargetClass {
  const [member, second] = rest;
  if (member === undefined) return `${position.slot}-node`;
  if (member === 'children') {
    if (rest.length > 2) return 'immutable';
    return second === undefined ? 'child-list' : 'child-slot';
  }
  if (member === 'placement' || member === 'metadata' || member === 'variables') return 'node-data';
  if (member !== 'config' || second === undefined) return 'immutable';
  if (second !== position.type?.contentField) return 'config-field';
  return rest.length === 2 ? 'content-slot' : 'immutable';
}

function isScope(segment: string): segment is Scope {
  return Object.hasOwn(SCOPE_MEMBERS, segment);
}

function hasSurface(scope: Scope): scope is SurfaceScope {
  return scope === '$manifest' || scope === '$theme';
}

/** The deepest node that the pointer reaches, and the rest of the pointer. */
function deepest(tree: NodeTree, start: NodePosition, path: Pointer): [NodePosition, Pointer] {
  let [position, rest] = [start, path];
  for (;;) {
    const [member, step = ''] = rest;
    const value =
      member === 'children' ? childOf(ownMember(position.node, member), step) : contentAt(position, rest);
    const inner = isJsonObject(value) ? tree.positionOf(value) : undefined;
    if (inner === undefined) return [position, rest];
    [position, rest] = [inner, rest.slice(2)];
  }
}

function contentAt(position: NodePosition, [member, field]: Pointer) {
  return member === 'config' && field !== undefined && field === position.type?.contentField
    ? contentOf(position)
    : undefined;
}
