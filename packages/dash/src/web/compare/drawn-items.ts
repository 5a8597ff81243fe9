import type { ItemData } from '../../data/contract.ts';
import { canonicalText } from '../../document/canonical.ts';
import type { Json } from '../../document/json.ts';
import { valueReach } from '../../render/chart/charts.ts';
import type { ItemView, PictureSource } from '../../render/context.ts';
import type { ChartPainter } from '../../render/drawing.ts';
import type { Markup } from '../../render/markup.ts';
import { renderNodes } from '../../render/picture.ts';
import { nodesOf, type ResolvedNode } from '../../resolve/tree.ts';
import { leavesOf } from '../dashboard.ts';
import { type DrawnSide, drawSide, type ResolvedSide, rowsOf, type SideRows } from './sides.ts';
import type { ComparedItem } from './touched.ts';

/** Pixels of a chart beside its other side; the style sheet fits it into the cell. */
const SIZE = { width: 440, height: 220 };
/** Headings inside of an item stand below that of the item itself. */
const LEVEL = 3;

/** Both sides of every item. */
export interface DrawnItems {
  before(id: string): Markup | undefined;
  after(id: string): Markup | undefined;
  /** Equal drawings: what differs cannot be seen. */
  isIdentical(id: string): boolean;
  /** Rules of the grids in the drawings. */
  readonly css: string;
}

/** Draws the items on the sides that resolve, with one scale for both charts of an item. */
export async function drawItems(
  painter: ChartPainter,
  before: ResolvedSide,
  after: ResolvedSide,
  rows: SideRows,
  items: readonly ComparedItem[],
): Promise<DrawnItems> {
  const ids = new Set(drawnItems(items, before, after));
  const reaches = reachesOf(before, after, rows, ids);
  const options = {
    ids: new Set([...leavesWithin(before, ids), ...leavesWithin(after, ids)].map(({ id }) => id)),
    sizeOf: () => SIZE,
    reachOf: (id: string) => reaches.get(id) ?? [],
  };
  const draw = async (side: 'before' | 'after', { tree, errors }: ResolvedSide) =>
    tree === undefined ? undefined : drawSide(painter, side, { tree, errors }, rows[side], options);
  const [old, current] = await Promise.all([draw('before', before), draw('after', after)]);
  const [left, right] = [renderSide(old, ids), renderSide(current, ids)];
  const [seenBefore, seenAfter] = [seenSide(before, rows.before, ids), seenSide(after, rows.after, ids)];
  return {
    before: id => left.nodes.get(id),
    after: id => right.nodes.get(id),
    isIdentical: id => seenBefore.has(id) && seenBefore.get(id) === seenAfter.get(id),
    css: left.css + right.css,
  };
}

/** Items that are drawn: grids have their wireframes, and of regions around another item the words say enough. */
function drawnItems(items: readonly ComparedItem[], before: ResolvedSide, after: ResolvedSide): string[] {
  const all = new Set(items.map(({ id }) => id));
  const isDrawn = ({ id, kind }: ComparedItem): boolean => {
    const node = (kind === 'removed' ? before : after).nodes.get(id);
    if (node?.role !== 'region' || kind === 'added' || kind === 'removed') return true;
    return node.layout === undefined && ![...nodesOf(node)].slice(1).some(child => all.has(child.id));
  };
  return items.filter(isDrawn).map(({ id }) => id);
}

function renderSide(
  side: DrawnSide | undefined,
  ids: ReadonlySet<string>,
): { nodes: ReadonlyMap<string, Markup>; css: string } {
  if (side === undefined) return { nodes: new Map(), css: '' };
  const names = new Map([...ids].map(id => [side.nameOf(id), id]));
  const { nodes, css } = renderNodes(side.source, new Set(names.keys()), LEVEL);
  return { nodes: new Map([...nodes].map(([name, html]) => [names.get(name) ?? name, html])), css };
}

/** What people see of each item: its markup, with the input of each drawing in the place of the drawing. */
function seenSide(
  { tree, errors }: ResolvedSide,
  rows: ReadonlyMap<string, ItemData>,
  ids: ReadonlySet<string>,
): Map<string, string> {
  if (tree === undefined) return new Map();
  const views = new Map<string, ItemView>();
  for (const node of leavesOf(tree.root)) {
    const data = rows.get(node.id);
    const { query: _, connectionId: __, ...appearance } = node.config ?? {};
    const drawing = canonicalText([appearance, rowsOf(node, data) as unknown as Json]);
    views.set(node.id, data === undefined ? { drawing } : { data, drawing });
  }
  const source: PictureSource = { tree, views, errors, csvAddress: () => '' };
  const theme = canonicalText((tree.defaultTheme ?? {}) as Json);
  return new Map([...renderNodes(source, ids, LEVEL).nodes].map(([id, html]) => [id, `${theme}${html}`]));
}

/** For each chart of both sides the numbers that both axes of values have room for. */
function reachesOf(
  before: ResolvedSide,
  after: ResolvedSide,
  rows: SideRows,
  ids: ReadonlySet<string>,
): Map<string, readonly number[]> {
  const old = new Map([...leavesWithin(before, ids)].map(node => [node.id, node]));
  const reaches = new Map<string, readonly number[]>();
  for (const node of leavesWithin(after, ids)) {
    const former = old.get(node.id);
    if (former?.type.name !== 'chart' || node.type.name !== 'chart') continue;
    const ends = [
      valueReach(former.config ?? {}, rowsOf(former, rows.before.get(node.id))),
      valueReach(node.config ?? {}, rowsOf(node, rows.after.get(node.id))),
    ];
    if (ends.every(reach => reach.length > 0)) reaches.set(node.id, ends.flat());
  }
  return reaches;
}

function* leavesWithin({ nodes }: ResolvedSide, ids: ReadonlySet<string>): Generator<ResolvedNode> {
  for (const id of ids) {
    const node = nodes.get(id);
    if (node !== undefined) yield* leavesOf(node);
  }
}
