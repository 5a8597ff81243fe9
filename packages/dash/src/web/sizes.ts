import type { ResolvedNode } from '../resolve/tree.ts';

/** Pixels of the cell of an item. */
export interface CellSize {
  readonly width: number;
  readonly height: number;
}

/** Width that the page is drawn for before the browser has said another one, without its margins. */
const PAGE_WIDTH = 1_280 - 2 * 24;
const ROOT_FONT_PX = 16;
/** Padding and border of a block on both sides. */
const BLOCK_WIDTH = 2 * (16 + 1);
const HEIGHT = 240;
/** Sizes are rounded, so that pages of nearly the same size share drawings. */
const STEP = 40;
const NARROWEST = 200;
const WIDEST = 4_000;

/** The cells of all nodes, as wide as the fractions of the grids around them say (page and review 1.1). */
export function computedSizes(root: ResolvedNode): Map<string, CellSize> {
  const sizes = new Map<string, CellSize>();
  measure(root, PAGE_WIDTH, sizes);
  return sizes;
}

/** A size, rounded and within bounds. */
export function roundedSize({ width, height }: CellSize): CellSize {
  const bounded = (value: number): number =>
    Math.min(WIDEST, Math.max(NARROWEST, Math.round(value / STEP) * STEP));
  return { width: bounded(width), height: Math.min(bounded(height), 1_000) };
}

function measure(node: ResolvedNode, width: number, sizes: Map<string, CellSize>): void {
  sizes.set(node.id, roundedSize({ width, height: HEIGHT }));
  const inner = node.role === 'wrapper' ? width - BLOCK_WIDTH : width;
  for (const [index, child] of (node.children ?? []).entries()) {
    measure(child, cellWidth(node, index, inner), sizes);
  }
}

function cellWidth({ layout }: ResolvedNode, index: number, width: number): number {
  const place = layout?.placements[index];
  if (layout === undefined || place === undefined) return width;
  const gap = layout.gap * ROOT_FONT_PX;
  const shared = width - gap * (layout.columns.length - 1);
  const first = place.colStart - 1;
  const share = layout.columns.slice(first, first + place.colSpan).reduce((sum, part) => sum + part, 0);
  return shared * share + gap * (place.colSpan - 1);
}
