import { systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { TriedChangeset } from '../changeset/pipeline.ts';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import { changedNodes, resolvedOrNothing } from '../reads/changed-preview.ts';
import { Painter } from '../render/chart/painter.ts';
import { openPng, type PngOf } from '../render/still/png.ts';
import { renderStill, type StillPicture } from '../render/still/still.ts';
import { nodesOf, type ResolvedNode, type ResolvedTree } from '../resolve/tree.ts';
import { rowsOfItems } from './item-rows.ts';
import type { ToolContext } from './tool.ts';

/** Items of one picture. */
const MOST_ITEMS = 20;
const MOST_BYTES = 200_000;
const WIDTH = 900;
/** Pixels: what a host hands on to a model is scaled down beyond. */
const TALLEST = 2_400;
/** Widths that a picture of too many bytes is tried at. */
const WIDTHS = [WIDTH, 640, 450, 320, 200];

/** What the text of an answer says of its picture, or why it could not be made. */
type PictureFacts =
  | {
      /** Nodes that are drawn, in document order. */
      readonly items: readonly string[];
      /** How many changed nodes are not. */
      readonly more?: number;
      /** Pixels; absent where nothing that is left has changed. */
      readonly width?: number;
      readonly height?: number;
      /** The end is not shown. */
      readonly cut?: true;
    }
  | { readonly error: ErrorEnvelope };

/** A picture of what a changeset changes. */
export interface ChangedPicture {
  readonly image: PictureFacts;
  readonly png?: Uint8Array;
}

/**
 * A PNG of the nodes that a changeset changes, as they are afterwards: at most 20, 900 pixels wide and 200 kB
 * (page and review 8). It is drawn from the same models and rows as the review; a picture that cannot be made is the
 * coded error in `image`, and never makes the changeset invalid.
 * @param asksAll runs also the queries that wait for a person in a review.
 */
export async function changedPicture(
  tried: TriedChangeset<ResolvedTree>,
  context: ToolContext,
  { asksAll, signal }: { readonly asksAll: boolean; readonly signal: AbortSignal },
): Promise<ChangedPicture> {
  try {
    const pngOf = await openPng();
    const changed = topmost(tried.tree.root, undefined, changedNodes(tried, context.engine));
    const drawn = changed.slice(0, MOST_ITEMS);
    const items = drawn.map(({ id }) => id);
    if (items.length === 0) return { image: { items } };
    const { svg, height, isCut } = await draw(tried, drawn, context, { asksAll, signal });
    const { png, width } = smallEnough(svg, pngOf);
    const more = changed.length > items.length ? changed.length - items.length : undefined;
    const size = { width, height: Math.round((height * width) / WIDTH) };
    return { image: { items, ...size, ...defined({ more, cut: isCut ? (true as const) : undefined }) }, png };
  } catch (error) {
    if (error instanceof DashError) return { image: { error: error.toEnvelope() } };
    throw error;
  }
}

/** The highest nodes that differ; a block in the place of its content, because the block holds the title. */
function topmost(
  node: ResolvedNode,
  parent: ResolvedNode | undefined,
  differs: (node: ResolvedNode) => boolean,
): ResolvedNode[] {
  if (differs(node)) return [parent?.role === 'wrapper' ? parent : node];
  return (node.children ?? []).flatMap(child => topmost(child, node, differs));
}

async function draw(
  { before, tree }: TriedChangeset<ResolvedTree>,
  nodes: readonly ResolvedNode[],
  { engine, queries }: ToolContext,
  { asksAll, signal }: { readonly asksAll: boolean; readonly signal: AbortSignal },
): Promise<StillPicture> {
  const leaves = new Set(nodes.flatMap(node => [...nodesOf(node)].map(({ id }) => id)));
  const rows = await rowsOfItems(tree, leaves, {
    engine,
    sources: queries?.sources,
    signal,
    ...defined({ held: asksAll ? undefined : { former: resolvedOrNothing(before, engine.resolve) } }),
  });
  const views = new Map([...rows].map(([id, data]) => [id, { data }]));
  const source = { tree, views, errors: new Map(), framesPictures: true as const, csvAddress: () => '' };
  const painter = new Painter(systemClock);
  try {
    return await renderStill(source, {
      width: WIDTH,
      scheme: 'light',
      paint: (picture, size, id) => painter.paint({ picture, size, id }),
      only: new Set(nodes.map(({ id }) => id)),
      columns: nodes.length > 1 ? 2 : 1,
      tallest: TALLEST,
    });
  } finally {
    await painter.close();
  }
}

/** @throws DashError RENDER_FAILED */
function smallEnough(svg: string, pngOf: PngOf): { readonly png: Uint8Array; readonly width: number } {
  for (const width of WIDTHS) {
    const png = pngOf(svg, width);
    if (png.length <= MOST_BYTES) return { png, width };
  }
  const message = `The picture must have at most ${MOST_BYTES} bytes; got more at each width.`;
  throw new DashError('RENDER_FAILED', message, { reason: 'size' });
}
