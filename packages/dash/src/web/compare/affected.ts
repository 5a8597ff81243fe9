import { idOf } from '../../changeset/node-tree.ts';
import { referencesTo } from '../../changeset/references.ts';
import { jsonEqual } from '../../document/canonical.ts';
import type { JsonObject } from '../../document/json.ts';
import { textMember } from '../../render/context.ts';
import type { ResolvedGrid, ResolvedNode, ResolvedTree, VisibleVariable } from '../../resolve/tree.ts';
import { affectedItem, type ComparedDocuments, type ComparedItem } from './touched.ts';

/** Both grids of a region whose layout differs. */
export interface ChangedGrid {
  readonly id: string;
  readonly before: ResolvedNode | undefined;
  readonly after: ResolvedNode | undefined;
}

/** What differs between two resolved documents without being touched (review details 3.3). */
export interface Consequences {
  readonly items: readonly ComparedItem[];
  readonly grids: readonly ChangedGrid[];
}

interface Place {
  readonly node: ResolvedNode;
  /** The item that the node is part of. */
  readonly item: string;
  readonly variables: Readonly<Record<string, VisibleVariable>>;
}

/** Items of both trees that look, ask or stand differently, but are not among the touched ones. */
export function consequencesOf(
  documents: ComparedDocuments,
  before: ResolvedTree,
  after: ResolvedTree,
  touched: ReadonlySet<string>,
): Consequences {
  const old = new Map([...placesOf(before.root)].map(place => [place.node.id, place]));
  const current = new Map([...placesOf(after.root)].map(place => [place.node.id, place]));
  const ids = new Set<string>();
  const hasOtherTheme = !same(before.defaultTheme, after.defaultTheme);
  for (const [id, place] of current) {
    const former = old.get(id);
    if (former === undefined || touched.has(place.item)) continue;
    const isOther = looksDifferent(former, place) || asksDifferently(former, place, before, after);
    if (isOther || (hasOtherTheme && place.node.role === 'wrapper')) ids.add(place.item);
  }
  const items = [...ids].map(id => affectedItem(documents, id, causesOf(documents, id, old, current)));
  const regions = new Set([...old.keys(), ...current.keys()]);
  const grids = [...regions].flatMap(id => gridOf(id, old.get(id)?.node, current.get(id)?.node));
  return { items, grids };
}

/** Items that use a touched declaration, where the side after does not resolve and nothing more is known. */
export function usersOf(documents: ComparedDocuments, touched: ReadonlySet<string>): ComparedItem[] {
  const places = new Map<string, Place>();
  const items = documents.current.positions.filter(
    ({ slot, type, node }) => slot === 'child' && type?.role !== 'region' && !touched.has(idOf(node) ?? ''),
  );
  return items.flatMap(({ node }) => {
    const id = idOf(node) ?? '';
    const causes = causesOf(documents, id, places, places);
    return causes.length === 0 ? [] : [affectedItem(documents, id, causes)];
  });
}

function gridOf(
  id: string,
  before: ResolvedNode | undefined,
  after: ResolvedNode | undefined,
): ChangedGrid[] {
  const isSame =
    same(drawnGrid(before?.layout), drawnGrid(after?.layout)) && same(childIds(before), childIds(after));
  return (before ?? after)?.role !== 'region' || isSame ? [] : [{ id, before, after }];
}

/** A grid without how its placements came about. */
function drawnGrid(grid: ResolvedGrid | undefined): object | undefined {
  if (grid === undefined) return undefined;
  return { ...grid, placements: grid.placements.map(({ auto: _, ...place }) => place) };
}

const childIds = (node: ResolvedNode | undefined): readonly string[] =>
  (node?.children ?? []).map(({ id }) => id);

function* placesOf(node: ResolvedNode, item = node.id, variables: Place['variables'] = {}): Generator<Place> {
  const visible = node.varEnv ?? variables;
  yield { node, item, variables: visible };
  for (const child of node.children ?? []) {
    yield* placesOf(child, node.role === 'wrapper' ? item : child.id, visible);
  }
}

/** The resolved config, the form of an editor, or the variable of a control is another one. */
function looksDifferent(old: Place, current: Place): boolean {
  const isSame =
    same(old.node.config, current.node.config) &&
    same(old.node.flow, current.node.flow) &&
    same(old.node.generated, current.node.generated) &&
    same(variableOf(old), variableOf(current));
  return !isSame;
}

function variableOf({ node, variables }: Place): object | undefined {
  const name = node.role === 'widget' ? textMember(node.config, 'variable') : undefined;
  return name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/** The binding, or the connection that it asks, is another one. */
function asksDifferently(old: Place, current: Place, before: ResolvedTree, after: ResolvedTree): boolean {
  const questions = [
    [old, before],
    [current, after],
  ] as const;
  const [was, is] = questions.map(([{ node }, { connections = [] }]) => {
    const connection = connections.find(({ id }) => id === node.binding?.connectionId);
    return node.binding === undefined
      ? {}
      : { query: node.binding.query, type: connection?.type.id, config: connection?.config };
  });
  return !same(was, is);
}

/** Names of the declarations that an affected item uses and that are different now. */
function causesOf(
  documents: ComparedDocuments,
  id: string,
  old: ReadonlyMap<string, Place>,
  current: ReadonlyMap<string, Place>,
): string[] {
  const node = documents.current.find(id)?.node;
  if (node === undefined) return [];
  const uses = (scope: string, name: string): boolean =>
    referencesTo({ root: node } as JsonObject, scope, name) > 0;
  const touched = documents.differences.flatMap(({ nodeId, field = '' }) =>
    nodeId === '$variables' || nodeId === '$connections' ? [{ scope: nodeId, name: field }] : [],
  );
  const [was = {}, is = {}] = [old.get(id)?.variables, current.get(id)?.variables];
  const computed = Object.keys(is).filter(name => !same(was[name], is[name]));
  const causes = [...touched, ...computed.map(name => ({ scope: '$variables', name }))]
    .filter(({ scope, name }) => uses(scope, name))
    .map(({ scope, name }) => `${scope === '$variables' ? 'variable' : 'connection'} ${name}`);
  if (causes.length > 0) return [...new Set(causes)];
  return documents.differences.some(({ nodeId }) => nodeId === '$theme') ? ['the theme'] : [];
}

const same = (left: unknown, right: unknown): boolean => jsonEqual(left as never, right as never);
