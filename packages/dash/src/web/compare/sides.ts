import { defined } from '@msg/foundation/json';
import type { HeldQueries } from '../../data/bound-nodes.ts';
import type { ItemData } from '../../data/contract.ts';
import type { DataSources } from '../../data/sources.ts';
import type { JsonObject } from '../../document/json.ts';
import { DashError, type ErrorEnvelope } from '../../errors.ts';
import type { DocumentEngine } from '../../reads/document-engine.ts';
import type { ItemView, PictureSource } from '../../render/context.ts';
import type { ChartPainter } from '../../render/drawing.ts';
import { ownRows } from '../../render/items/leaf.ts';
import type { Override } from '../../resolve/overrides.ts';
import { nodesOf, type ResolvedNode, type ResolvedTree } from '../../resolve/tree.ts';
import { leavesOf, renderError } from '../dashboard.ts';
import { settle } from '../settings.ts';
import type { CellSize } from '../sizes.ts';

/** What both sides of a comparison are made with. */
export interface SideParts {
  readonly engine: DocumentEngine;
  readonly sources: DataSources;
  readonly painter: ChartPainter;
}

/** One state of a document, resolved, or why it does not resolve. */
export interface ResolvedSide {
  readonly tree?: ResolvedTree;
  /** Every node of the tree by its id. */
  readonly nodes: ReadonlyMap<string, ResolvedNode>;
  readonly errors: ReadonlyMap<string, ErrorEnvelope>;
  readonly problem?: ErrorEnvelope;
}

export function resolveSide(
  engine: DocumentEngine,
  document: JsonObject,
  overrides: readonly Override[],
): ResolvedSide {
  try {
    const { tree, errors } = settle(engine, document, overrides);
    return { tree, errors, nodes: new Map([...nodesOf(tree.root)].map(node => [node.id, node])) };
  } catch (error) {
    if (!(error instanceof DashError)) throw error;
    return { errors: new Map(), nodes: new Map(), problem: error.toEnvelope() };
  }
}

/** Rows of the leaves of both sides, by node id. */
export interface SideRows {
  readonly before: ReadonlyMap<string, ItemData>;
  readonly after: ReadonlyMap<string, ItemData>;
}

/**
 * Asks for the rows of both sides together, so that a query of both runs once, and waits for all of them.
 * @param held Which queries of the side after wait for a person, besides those that the side before asks, too.
 * @param overridden Nodes whose query comes from the address of the page: it is not run.
 */
export async function askBoth(
  sources: DataSources,
  before: ResolvedTree | undefined,
  after: ResolvedTree | undefined,
  held: 'all' | 'some' | undefined,
  overridden: ReadonlySet<string>,
): Promise<SideRows> {
  const queries = before === undefined ? new Set<string>() : sources.queriesOf(before);
  const waiting: HeldQueries | undefined = held && { known: queries, all: held === 'all' };
  const [old, current] = [
    before === undefined ? new Map() : sources.ask(before, { overridden }),
    after === undefined ? new Map() : sources.ask(after, { held: waiting, overridden }),
  ];
  const settled = async (answers: ReturnType<DataSources['ask']>): Promise<Map<string, ItemData>> => {
    const rows = [...answers].map(async ([id, { now, later }]) => [id, later ? await later : now] as const);
    return new Map(await Promise.all(rows));
  };
  const [rowsBefore, rowsAfter] = await Promise.all([settled(old), settled(current)]);
  return { before: rowsBefore, after: rowsAfter };
}

/** A side whose nodes have names of their own on the page. */
export interface DrawnSide {
  readonly source: PictureSource;
  /** Name on the page of a node. */
  nameOf(id: string): string;
}

/** One side, drawn: ids of its nodes get a prefix, because both sides stand on one page. */
export async function drawSide(
  painter: ChartPainter,
  side: 'before' | 'after',
  { tree, errors }: { readonly tree: ResolvedTree; readonly errors: ResolvedSide['errors'] },
  rows: ReadonlyMap<string, ItemData>,
  drawn: {
    readonly ids: ReadonlySet<string>;
    sizeOf(id: string): CellSize;
    reachOf(id: string): readonly number[];
  },
): Promise<DrawnSide> {
  const nameOf = (id: string): string => `${side}-${id}`;
  const views = [...leavesOf(tree.root)]
    .filter(({ id }) => drawn.ids.has(id))
    .map(async node => {
      const data = rows.get(node.id);
      const view = defined({ data });
      const reach = drawn.reachOf(node.id);
      const request = { ...drawn.sizeOf(node.id), nodeId: nameOf(node.id), ...defined({ reach }) };
      return [nameOf(node.id), await drawnView(painter, node, view, request)] as const;
    });
  const source: PictureSource = {
    tree: { ...tree, root: renamed(tree.root, nameOf) },
    views: new Map(await Promise.all(views)),
    errors,
    framesPictures: true,
    isStill: true,
    csvAddress: () => '',
  };
  return { source, nameOf };
}

async function drawnView(
  painter: ChartPainter,
  node: ResolvedNode,
  view: ItemView,
  request: { nodeId: string; width: number; height: number; reach: readonly number[] },
): Promise<ItemView> {
  const rows = node.type.name === 'chart' ? rowsOf(node, view.data) : [];
  if (rows.length === 0) return view;
  try {
    const { html } = await painter.draw({ ...request, config: node.config ?? {}, rows });
    return { ...view, drawing: html };
  } catch (error) {
    return { ...view, error: renderError(error) };
  }
}

/** The rows that a leaf shows. */
export function rowsOf(node: ResolvedNode, data: ItemData | undefined) {
  if (data !== undefined && 'data' in data) return data.data.rows;
  return node.binding === undefined ? (ownRows(node)?.rows ?? []) : [];
}

function renamed(node: ResolvedNode, nameOf: (id: string) => string): ResolvedNode {
  const children = node.children?.map(child => renamed(child, nameOf));
  return { ...node, id: nameOf(node.id), ...defined({ children }) };
}
