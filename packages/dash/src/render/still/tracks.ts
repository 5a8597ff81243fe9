import type { GridPlacement, ResolvedGrid } from '../../resolve/tree.ts';

const ROOT_FONT = 16;
/** Height of an implicit row without content, as the page has it. */
const LEAST_ROW = 36;

/** The start and size of a cell on one axis. */
interface Span {
  readonly start: number;
  readonly size: number;
}

/** The columns of a grid over a width. */
export function columnsOf({ columns, gap }: ResolvedGrid, width: number): (place: GridPlacement) => Span {
  const between = gap * ROOT_FONT;
  const free = width - between * (columns.length - 1);
  const sizes = columns.map(fraction => fraction * free);
  return ({ colStart, colSpan }) => spanOf(sizes, between, colStart, colSpan);
}

/**
 * The rows of a grid that holds items of these heights: declared ones keep their proportions, the others are as high as
 * their content.
 */
export function rowsOf(
  { placements, gap }: ResolvedGrid,
  heights: readonly number[],
  weights: readonly number[],
): { readonly height: number; of(place: GridPlacement): Span } {
  const between = gap * ROOT_FONT;
  const count = Math.max(
    weights.length,
    ...placements.map(({ rowStart, rowSpan }) => rowStart + rowSpan - 1),
  );
  const sizes: number[] = Array.from({ length: count }, (_, row) => (row < weights.length ? 0 : LEAST_ROW));
  const bySpan = placements.map((place, index) => ({ place, height: heights[index] ?? 0 }));
  bySpan.sort((a, b) => a.place.rowSpan - b.place.rowSpan);
  for (const { place, height } of bySpan) {
    const missing = height - spanOf(sizes, between, place.rowStart, place.rowSpan).size;
    if (missing <= 0) continue;
    for (let row = place.rowStart - 1; row < place.rowStart - 1 + place.rowSpan; row += 1)
      sizes[row] = (sizes[row] ?? 0) + missing / place.rowSpan;
  }
  const unit = Math.max(0, ...weights.map((weight, row) => (sizes[row] ?? 0) / weight));
  for (const [row, weight] of weights.entries()) sizes[row] = unit * weight;
  const height = sizes.reduce((sum, size) => sum + size, 0) + between * Math.max(0, count - 1);
  return { height, of: ({ rowStart, rowSpan }) => spanOf(sizes, between, rowStart, rowSpan) };
}

function spanOf(sizes: readonly number[], between: number, first: number, span: number): Span {
  const before = sizes.slice(0, first - 1).reduce((sum, size) => sum + size, 0);
  const size = sizes.slice(first - 1, first - 1 + span).reduce((sum, part) => sum + part, 0);
  return { start: before + between * (first - 1), size: size + between * (span - 1) };
}
