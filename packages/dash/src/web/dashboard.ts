import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { ItemAnswer, ItemData } from '../data/contract.ts';
import type { DataSources } from '../data/sources.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { ItemView, PictureSource } from '../render/context.ts';
import type { ChartPainter, DrawingRequest } from '../render/drawing.ts';
import { ownRows } from '../render/items/leaf.ts';
import { type Override, overriddenQueries } from '../resolve/overrides.ts';
import type { ResolvedNode } from '../resolve/tree.ts';
import { settle, windowOf } from './settings.ts';
import { type CellSize, computedSizes } from './sizes.ts';

/** Drawings that the first answer waits for, and how long. */
const MOST_INLINE = 12;
const INLINE_MS = 100;
/** How long an answer waits that holds everything. */
const WHOLE_MS = 10_000;

/** What dashboards are made with. */
export interface DashboardParts {
  readonly engine: DocumentEngine;
  readonly sources: DataSources;
  readonly painter: ChartPainter;
  readonly clock: Clock;
}

/** What is asked of one dashboard. */
export interface DashboardRequest {
  readonly document: JsonObject;
  readonly overrides: readonly Override[];
  readonly time?: string;
  /** Cells as the browser measured them. */
  readonly sizes?: ReadonlyMap<string, CellSize>;
  /** Only these items are asked for. */
  readonly only?: ReadonlySet<string>;
  /** Aborts when the rows are not waited for any more. */
  readonly leaving?: AbortSignal;
  csvAddress(nodeId: string): string;
}

/** A dashboard as far as it is known now, and what comes later. */
export interface Dashboard {
  readonly source: PictureSource;
  /** Items that are still being asked for or drawn. */
  readonly later: ReadonlyMap<string, Promise<ItemView>>;
  /** Some connection is asked about a span of time. */
  readonly isTimed: boolean;
  /** Seconds after which its connections want to be asked again. */
  readonly refresh?: number;
}

/** How much of a dashboard is waited for. */
export type Patience = 'first' | 'whole' | 'none';

/**
 * Resolves a document, asks for the rows of its items and draws its charts.
 * @throws DashError when the document does not resolve.
 */
export async function openDashboard(
  parts: DashboardParts,
  request: DashboardRequest,
  patience: Patience,
): Promise<Dashboard> {
  const { tree, errors } = settle(parts.engine, request.document, request.overrides);
  const window = request.time === undefined ? undefined : windowOf(request.time, parts.clock.now());
  const badTime = request.time !== undefined && window === undefined ? timeError(request.time) : undefined;
  const cells = new Map([...computedSizes(tree.root), ...(request.sizes ?? [])]);
  const answers = parts.sources.ask(tree, {
    window,
    only: request.only,
    leaving: request.leaving,
    widths: new Map([...cells].map(([id, { width }]) => [id, width])),
    overridden: overriddenQueries(request.overrides),
  });
  const painter = oneEachTurn(parts.painter, parts.clock);
  const views = new Map<string, ItemView>();
  const later = new Map<string, Promise<ItemView>>();
  for (const node of leavesOf(tree.root)) {
    if (request.only?.has(node.id) === false) continue;
    const size = node.type.name === 'chart' ? cells.get(node.id) : undefined;
    const { now, coming } = viewOf(painter, node, answers.get(node.id), size);
    views.set(node.id, now);
    if (coming !== undefined) later.set(node.id, coming);
  }
  await waitFor(parts.clock, patience, views, later);
  const allErrors = badTime === undefined ? errors : new Map([...errors, ['$time', badTime]]);
  const source = { tree, views, errors: allErrors, csvAddress: request.csvAddress };
  const { sources } = parts;
  return { source, later, isTimed: sources.isTimed(tree), ...defined({ refresh: sources.refreshOf(tree) }) };
}

/** A painter that starts one chart in each turn of the event loop, so that many charts do not stall other requests. */
function oneEachTurn(painter: ChartPainter, clock: Clock): ChartPainter {
  let turn = Promise.resolve();
  return {
    draw(request) {
      const mine = turn;
      turn = mine.then(() => new Promise<void>(resolve => clock.afterTurn(resolve)));
      return mine.then(() => painter.draw(request));
    },
  };
}

/** An item as it is now, and as it will be when its rows have come and its chart is drawn. */
function viewOf(
  painter: ChartPainter,
  node: ResolvedNode,
  answer: ItemAnswer | undefined,
  size: CellSize | undefined,
): { now: ItemView; coming?: Promise<ItemView> } {
  const now: ItemView = defined({ data: answer?.now });
  const drawn = (data: ItemData | undefined): Promise<ItemView> | undefined =>
    size === undefined ? undefined : draw(painter, node, data, size);
  if (answer?.later !== undefined) {
    return { now, coming: answer.later.then(data => drawn(data) ?? { data }) };
  }
  const coming = drawn(answer?.now);
  return coming === undefined ? { now } : { now, coming };
}

/** The drawing of a chart; undefined where it has no rows to draw. */
function draw(
  painter: ChartPainter,
  node: ResolvedNode,
  data: ItemData | undefined,
  size: CellSize,
): Promise<ItemView> | undefined {
  const atHand = data !== undefined && 'data' in data ? data.data : node.binding ? undefined : ownRows(node);
  if (atHand === undefined || atHand.rows.length === 0) return undefined;
  const request: DrawingRequest = { nodeId: node.id, config: node.config ?? {}, rows: atHand.rows, ...size };
  return painter.draw(request).then(
    ({ html }) => defined({ data, drawing: html }),
    (error: unknown) => defined({ data, error: renderError(error) }),
  );
}

/** Waits for what the answer may wait for, and moves what has come into the views. */
async function waitFor(
  clock: Clock,
  patience: Patience,
  views: Map<string, ItemView>,
  later: Map<string, Promise<ItemView>>,
): Promise<void> {
  if (patience === 'none' || later.size === 0) return;
  const atHand = [...later].filter(([id]) => views.get(id)?.data?.state !== 'loading');
  const awaited = patience === 'whole' ? [...later] : atHand.slice(0, MOST_INLINE);
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimeout(resolve, patience === 'whole' ? WHOLE_MS : INLINE_MS);
  const settled = awaited.map(([id, coming]) =>
    coming.then(view => {
      views.set(id, view);
      later.delete(id);
    }),
  );
  await Promise.race([Promise.all(settled), late]);
  clock.clearTimeout(timer);
}

/** Nodes that hold no other, in document order. */
export function* leavesOf(node: ResolvedNode): Generator<ResolvedNode> {
  if (node.role === 'leaf' || node.role === 'widget') yield node;
  for (const child of node.children ?? []) yield* leavesOf(child);
}

export function renderError(error: unknown): ErrorEnvelope {
  const coded =
    error instanceof DashError
      ? error
      : new DashError('RENDER_FAILED', 'The chart is not drawn: the painter failed; try again.', {}, error);
  return coded.toEnvelope();
}

function timeError(time: string): ErrorEnvelope {
  const message = `$time must be a span such as 6h, or <from>/<to> in ISO 8601; got "${time}".`;
  return new DashError('VAR_OVERRIDE_INVALID', message, { address: '$time' }).toEnvelope();
}
