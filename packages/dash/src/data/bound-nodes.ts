import type { ResolvedBinding, ResolvedConnection, ResolvedNode, ResolvedTree } from '../resolve/tree.ts';
import { sortedText } from './planner.ts';
import type { DataSourceKind } from './source.ts';

/** Queries that wait for a person, because a proposal brings them. */
export interface HeldQueries {
  /** Queries that are run without it, as `DataSources.queriesOf` names them. */
  readonly known: ReadonlySet<string>;
  /** All others wait; else only those of kinds that say so. */
  readonly all: boolean;
}

export type BoundNode = ResolvedNode & { readonly binding: ResolvedBinding };

/** Nodes with a binding, in document order. */
function* boundNodes(node: ResolvedNode): Generator<BoundNode> {
  if (isBound(node)) yield node;
  for (const child of node.children ?? []) yield* boundNodes(child);
}

const isBound = (node: ResolvedNode): node is BoundNode => node.binding !== undefined;

/** Bound nodes with the connections that they ask. */
export function* questionsOf({ root, connections = [] }: ResolvedTree) {
  const byId = new Map(connections.map(connection => [connection.id, connection]));
  for (const node of boundNodes(root)) {
    const connection = byId.get(node.binding.connectionId);
    if (connection !== undefined) yield { node, connection };
  }
}

/** Equal for equal questions to equal connections. */
export function queryName(
  { id, type, config = {} }: ResolvedConnection,
  { query = {} }: ResolvedBinding,
): string {
  return sortedText([id, type.id, config, query]);
}

/** True for a query of a proposal that waits for a person. */
export function isHeld(
  { waitsForPerson }: DataSourceKind,
  connection: ResolvedConnection,
  binding: ResolvedBinding,
  held: HeldQueries | undefined,
): boolean {
  if (held === undefined || held.known.has(queryName(connection, binding))) return false;
  return held.all || waitsForPerson?.(connection) === true;
}
