import type { GridPlacement, ResolvedNode } from '../../resolve/tree.ts';

/** Overlaps of one grid that are told. */
const MOST_OVERLAPS = 20;

/** Two children of a grid that share a cell; the later one in document order lies over the other. */
interface Overlap {
  readonly over: string;
  readonly under: string;
}

interface Placed {
  readonly index: number;
  readonly place: GridPlacement;
}

/** Children of a grid whose own placements share cells; cells that the grid gives are never shared. */
export function overlapsIn({ layout, children = [] }: ResolvedNode): Overlap[] {
  const placed: Placed[] = (layout?.placements ?? [])
    .map((place, index) => ({ index, place }))
    .filter(({ place }) => place.auto !== true)
    .sort((a, b) => a.place.rowStart - b.place.rowStart);
  const overlaps: Overlap[] = [];
  for (const [at, upper] of placed.entries()) {
    const end = upper.place.rowStart + upper.place.rowSpan;
    for (let next = at + 1; next < placed.length; next++) {
      const lower = placed[next];
      if (lower === undefined || lower.place.rowStart >= end) break;
      if (!shareColumn(upper.place, lower.place)) continue;
      const [under, over] = upper.index < lower.index ? [upper, lower] : [lower, upper];
      overlaps.push({ over: children[over.index]?.id ?? '', under: children[under.index]?.id ?? '' });
      if (overlaps.length === MOST_OVERLAPS) return overlaps;
    }
  }
  return overlaps;
}

function shareColumn(a: GridPlacement, b: GridPlacement): boolean {
  return a.colStart < b.colStart + b.colSpan && b.colStart < a.colStart + a.colSpan;
}
