import { defined } from '@msg/foundation/json';
import { differencesBetween } from '../changeset/differences.ts';
import { idOf } from '../changeset/node-tree.ts';
import { jsonEqual } from '../document/canonical.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { nodesOf, type ResolvedNode, type ResolvedTree } from '../resolve/tree.ts';
import type { DocumentEngine } from './document-engine.ts';
import { autoPlacements, gridText, placementText } from './layout-text.ts';

/** Ids of unchanged siblings that one entry names; the others are counted. */
const MOST_IDS = 10;

/** Siblings that a changeset leaves as they are. */
interface UnchangedRun {
  readonly unchanged: readonly string[];
  /** How many more there are. */
  readonly more?: number;
}

/** One node on the way to a change; one that changes itself has its resolved parts. */
interface ChangedNode {
  readonly id: string;
  readonly type: string;
  readonly config?: JsonObject;
  readonly placement?: string;
  readonly layout?: string;
  readonly binding?: JsonObject;
  readonly children?: readonly (ChangedNode | UnchangedRun)[];
}

/** The part of a resolved tree that a changeset changes or affects (review details 7.1). */
export interface ChangedPreview {
  readonly manifest?: ResolvedTree['manifest'];
  readonly defaultTheme?: JsonObject;
  readonly root?: ChangedNode;
}

/** Two states of a document, and the tree of the later one. */
export interface ChangedStates {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly tree: ResolvedTree;
}

/**
 * The way from the root to every node that differs: stored otherwise, or resolved otherwise through a variable or the
 * theme. Without surfaces and contracts. Of a document that did not resolve before, only what is stored otherwise.
 */
export function changedPreview(states: ChangedStates, engine: DocumentEngine): ChangedPreview {
  const { before, tree } = states;
  const former = resolvedOrNothing(before, engine.resolve);
  const differs = differsFrom(former, states, engine);
  const isNew = (name: 'manifest' | 'defaultTheme') =>
    !jsonEqual((former?.[name] ?? null) as JsonObject, (tree[name] ?? null) as JsonObject);
  return defined({
    manifest: isNew('manifest') ? tree.manifest : undefined,
    defaultTheme: isNew('defaultTheme') ? tree.defaultTheme : undefined,
    root: changedNode(tree.root, undefined, new Map(), differs),
  });
}

/** Tells nodes that are stored or resolved otherwise than before, or that ask a connection that is. */
export function changedNodes(states: ChangedStates, engine: DocumentEngine): (node: ResolvedNode) => boolean {
  const former = resolvedOrNothing(states.before, engine.resolve);
  const differs = differsFrom(former, states, engine);
  const old = connectionsOf(former);
  const others = [...connectionsOf(states.tree)].filter(([id, text]) => old.get(id) !== text);
  const changed = new Set(others.map(([id]) => id));
  return node => differs(node) || changed.has(node.binding?.connectionId ?? '');
}

function connectionsOf(tree: ResolvedTree | undefined): Map<string, string> {
  const connections = tree?.connections ?? [];
  return new Map(connections.map(({ id, type, config }) => [id, JSON.stringify([type.id, config])]));
}

function differsFrom(
  former: ResolvedTree | undefined,
  { before, after }: ChangedStates,
  { types }: DocumentEngine,
): (node: ResolvedNode) => boolean {
  const touched = new Set(
    differencesBetween(before, after, types).flatMap(({ kind, nodeId, former: old }) => {
      const holder = kind === 'removed' ? old?.parent : undefined;
      return holder === undefined ? [nodeId] : [nodeId, idOf(holder.node) ?? ''];
    }),
  );
  const old = new Map(former === undefined ? [] : [...nodesOf(former.root)].map(node => [node.id, node]));
  return node => touched.has(node.id) || (former !== undefined && !isSame(old.get(node.id), node));
}

/** The tree of a document; undefined for one that does not resolve. */
export function resolvedOrNothing(
  document: JsonObject,
  resolve: DocumentEngine['resolve'],
): ResolvedTree | undefined {
  try {
    return resolve(document);
  } catch (error) {
    if (error instanceof DashError) return undefined;
    throw error;
  }
}

/** Whether a node looks as before. The cells of its children are theirs. */
function isSame(old: ResolvedNode | undefined, node: ResolvedNode): boolean {
  return old !== undefined && jsonEqual(looks(old), looks(node));
}

function looks({ type, config, binding, layout, flow, generated }: ResolvedNode): JsonObject {
  const { columns, gap } = layout ?? {};
  const { connectionId, query } = binding ?? {};
  // Parts of the tree are JSON.
  return defined({
    type: type.id,
    config,
    connectionId,
    query,
    columns,
    gap,
    flow,
    generated,
  }) as unknown as JsonObject;
}

/** Undefined for a node without a change in it or below it. */
function changedNode(
  node: ResolvedNode,
  parent: ResolvedNode | undefined,
  placements: ReadonlyMap<string, string>,
  differs: (node: ResolvedNode) => boolean,
): ChangedNode | undefined {
  const cells = new Map(autoPlacements(node));
  const below = (node.children ?? []).map(child => ({
    id: child.id,
    shown: changedNode(child, node, cells, differs),
  }));
  const isChanged = differs(node);
  const leadsOn = below.some(({ shown }) => shown !== undefined);
  if (!isChanged && !leadsOn) return undefined;
  const { id, type, config, binding, layout } = node;
  const children = leadsOn ? withRuns(below) : undefined;
  if (!isChanged) return defined({ id, type: type.name, children });
  return defined({
    id,
    type: type.name,
    config,
    placement: parent === undefined ? undefined : (placementText(node.placement) ?? placements.get(id)),
    layout: layout === undefined ? undefined : gridText(config ?? {}),
    binding: binding && defined({ connectionId: binding.connectionId, query: binding.query }),
    children,
  });
}

function withRuns(
  children: readonly { readonly id: string; readonly shown: ChangedNode | undefined }[],
): (ChangedNode | UnchangedRun)[] {
  const entries: (ChangedNode | UnchangedRun)[] = [];
  let run: string[] = [];
  const endRun = (): void => {
    if (run.length > 0) entries.push(unchanged(run));
    run = [];
  };
  for (const { id, shown } of children) {
    if (shown === undefined) run.push(id);
    else {
      endRun();
      entries.push(shown);
    }
  }
  endRun();
  return entries;
}

function unchanged(ids: readonly string[]): UnchangedRun {
  const more = ids.length - MOST_IDS;
  return defined({ unchanged: ids.slice(0, MOST_IDS), more: more > 0 ? more : undefined });
}
