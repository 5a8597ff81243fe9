import { isJsonObject, type JsonObject, ownMember } from '../document/json.ts';
import type { GridPlacement, ResolvedGrid, ResolvedNode } from '../resolve/tree.ts';
import type { StyleRules } from './style-rules.ts';

/** Class of a grid: columns by fraction, declared rows by fraction, implicit rows by content (page and review 1.2). */
export function gridClass(
  { columns, rows, gap }: ResolvedGrid,
  declaredRows: number,
  styles: StyleRules,
): string {
  const tracks = (fractions: readonly number[], least: string): string =>
    fractions.map(fraction => `minmax(${least},${rounded(fraction * fractions.length)}fr)`).join(' ');
  const declared = rows.slice(0, declaredRows);
  const template = declared.length > 0 ? `grid-template-rows:${tracks(declared, 'min-content')};` : '';
  const wide = styles.wide(`grid-template-columns:${tracks(columns, '0')};${template}`);
  return gap === 0 ? wide : `${wide} ${styles.always(`--gap:${rounded(gap)}rem`)}`;
}

/** How many rows the config of a region declares; 0 when it leaves them to its children. */
export function declaredRows({ config }: ResolvedNode): number {
  return Math.max(rowsOf(config, 'grid'), rowsOf(config, 'layout'));
}

/** The children of a grid in reading order, by row, column and document order, each with the class of its cell. */
export function placedChildren(
  children: readonly ResolvedNode[],
  { placements }: ResolvedGrid,
  styles: StyleRules,
): { readonly child: ResolvedNode; readonly cell: string }[] {
  const placed = children.map((child, index) => ({ child, index, place: placements[index] }));
  placed.sort((a, b) => {
    const [left, right] = [a.place, b.place];
    if (left === undefined || right === undefined) return a.index - b.index;
    return left.rowStart - right.rowStart || left.colStart - right.colStart || a.index - b.index;
  });
  const explicit = placements.filter(({ auto }) => auto !== true);
  return placed.map(({ child, index, place }) => {
    if (place === undefined) return { child, cell: '' };
    const { rowStart, colStart, rowSpan, colSpan } = place;
    const area = `grid-area:${rowStart}/${colStart}/span ${rowSpan}/span ${colSpan}`;
    // Overlapping children are stacked in document order, whatever order they are read in.
    const order = overlaps(explicit, place) ? `;z-index:${index}` : '';
    return { child, cell: styles.wide(area + order) };
  });
}

/** True when an explicit placement shares a cell with another one; automatic ones never do. */
function overlaps(explicit: readonly GridPlacement[], place: GridPlacement): boolean {
  return (
    place.auto !== true &&
    explicit.some(
      other =>
        other !== place &&
        other.colStart < place.colStart + place.colSpan &&
        place.colStart < other.colStart + other.colSpan &&
        other.rowStart < place.rowStart + place.rowSpan &&
        place.rowStart < other.rowStart + other.rowSpan,
    )
  );
}

function rowsOf(config: JsonObject | undefined, member: string): number {
  const grid = config === undefined ? undefined : ownMember(config, member);
  const rows = isJsonObject(grid) ? ownMember(grid, 'rows') : undefined;
  return Array.isArray(rows) ? rows.length : 0;
}

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
