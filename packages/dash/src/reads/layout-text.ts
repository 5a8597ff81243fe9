import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import type { GridPlacement, ResolvedNode } from '../resolve/tree.ts';

const COORDINATES = ['colStart', 'colSpan', 'rowStart', 'rowSpan'];

/** The grid of a region's config as one line, `columns 2:1, gap 1`; undefined where it sets none. */
export function gridText(config: JsonObject): string | undefined {
  const grid = ownMember(config, 'grid');
  if (!isJsonObject(grid)) return undefined;
  const parts = ['columns', 'rows', 'gap'].flatMap(name => {
    const value = ownMember(grid, name);
    if (value === undefined) return [];
    return [
      `${name} ${Array.isArray(value) ? value.map(weight => scalarText(weight)).join(':') : scalarText(value)}`,
    ];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
}

function scalarText(value: Json): string {
  return typeof value === 'object' && value !== null ? '?' : String(value).slice(0, 20);
}

/** A stored placement as one line, `col 1+2, row 3` (dashboard details 13.3). */
export function placementText(placement: Json | undefined): string | undefined {
  if (placement === undefined) return undefined;
  if (!isJsonObject(placement)) return 'placed ()';
  const keys = Object.keys(placement);
  if (keys.length === 0) return undefined;
  const isLegal = keys.every(key => COORDINATES.includes(key) && typeof placement[key] === 'number');
  if (!isLegal) return `placed (${keys.join(', ')})`;
  const axis = (name: string, start?: Json, span?: Json) =>
    start === undefined && span === undefined
      ? []
      : [`${name} ${start ?? '?'}${span === undefined ? '' : `+${span}`}`];
  const { colStart, colSpan, rowStart, rowSpan } = placement;
  return [...axis('col', colStart, colSpan), ...axis('row', rowStart, rowSpan)].join(', ');
}

/** The cells that the grid gave to its children, by child id; only those that were placed by themselves. */
export function autoPlacements({ layout, children = [] }: ResolvedNode): [string, string][] {
  if (layout === undefined) return [];
  return children.flatMap(({ id }, index) => {
    const cell: GridPlacement | undefined = layout.placements[index];
    return cell?.auto === true ? [[id, `auto col ${cell.colStart}, row ${cell.rowStart}`]] : [];
  });
}
