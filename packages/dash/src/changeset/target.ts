import { isJsonObject } from '#src/document/json.ts';
import { childOf, type Pointer } from '#src/document/pointer.ts';
import { childrenOf, contentOf, type NodeTree, type Place, pointerOf } from './node-tree.ts';

/** Scopes of a document, each with the envelope member it stands for. */
export const SCOPE_MEMBERS = {
  $manifest: 'manifest',
  $variables: 'variables',
  $connections: 'connections',
  $theme: 'theme',
} as const;

export type Scope = keyof typeof SCOPE_MEMBERS;

/** What a pointer addresses, after re-rooting at the deepest node that it walks through. */
export type Target = NodeTarget | ScopeTarget;

export interface NodeTarget {
  readonly kind: 'node';
  readonly place: Place;
  readonly rest: Pointer;
}

export interface ScopeTarget {
  readonly kind: 'scope';
  readonly scope: Scope;
  readonly rest: Pointer;
}

/**
 * Finds what an id-rooted pointer addresses in the present state of the document (dashboard details 11.2); undefined
 * when its first segment names neither a node nor a scope.
 */
export function findTarget(tree: NodeTree, path: Pointer): Target | undefined {
  const [first = '', ...rest] = path;
  if (isScope(first)) return { kind: 'scope', scope: first, rest };
  const place = first === '$root' ? tree.root : tree.find(first);
  return place === undefined ? undefined : deepest(tree, place, rest);
}

/** The literal pointer of a target in its document. */
export function literalPointer(target: Target): Pointer {
  const start = target.kind === 'scope' ? [SCOPE_MEMBERS[target.scope]] : pointerOf(target.place);
  return [...start, ...target.rest];
}

/** Which of the rows of the table in dashboard details 11.3 a target falls into. */
export type TargetClass =
  | 'whole-node'
  | 'child-slot'
  | 'content-slot'
  | 'config-field'
  | 'node-data'
  | 'scope-field'
  | 'theme'
  | 'scope-data'
  | 'immutable';

export function classify(target: Target): TargetClass {
  return target.kind === 'scope' ? classifyScope(target) : classifyNode(target);
}

/** Targets that hold nodes: the ends of structural edits. */
export function isStructural(target: Target): boolean {
  const found = classify(target);
  return found === 'whole-node' || found === 'child-slot' || found === 'content-slot';
}

function classifyScope({ scope, rest }: ScopeTarget): TargetClass {
  if (scope === '$variables' || scope === '$connections') return 'scope-data';
  if (rest.length === 0) return scope === '$theme' ? 'theme' : 'immutable';
  return 'scope-field';
}

function classifyNode({ place, rest }: NodeTarget): TargetClass {
  const [member, second] = rest;
  if (member === undefined) return 'whole-node';
  if (member === 'children') return rest.length <= 2 ? 'child-slot' : 'immutable';
  if (member === 'placement' || member === 'metadata' || member === 'variables') return 'node-data';
  if (member !== 'config' || second === undefined) return 'immutable';
  if (second !== place.type?.contentField) return 'config-field';
  return rest.length === 2 ? 'content-slot' : 'immutable';
}

function isScope(segment: string): segment is Scope {
  return Object.hasOwn(SCOPE_MEMBERS, segment);
}

function deepest(tree: NodeTree, place: Place, rest: Pointer): NodeTarget {
  const [member, step = ''] = rest;
  const held = member === 'children' ? childOf([...childrenOf(place.node)], step) : heldContent(place, rest);
  const inner = isJsonObject(held) ? tree.placeOf(held) : undefined;
  return inner === undefined ? { kind: 'node', place, rest } : deepest(tree, inner, rest.slice(2));
}

function heldContent(place: Place, [member, field]: Pointer) {
  return member === 'config' && field !== undefined && field === place.type?.contentField
    ? contentOf(place)
    : undefined;
}
