import { expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { layOutGrid, type Placed } from '#src/resolve/layout.ts';

const tracks = (count: number): number[] => Array.from({ length: count }, () => 1);
const child = (placement?: JsonObject): Placed => ({ path: 'root', id: 'child', placement });

/** Where children without a placement come to stand, as `column row`. */
function automatic(columns: number, rows: number, children: Placed[]): string[] {
  const { placements } = layOutGrid({ columns: tracks(columns), rows: tracks(rows) }, children);
  return placements.filter(({ auto }) => auto).map(({ colStart, rowStart }) => `${colStart} ${rowStart}`);
}

it('free cells are taken around what covers the rows, also below full ones', () => {
  const children = [
    child({ colStart: 1, rowStart: 2, rowSpan: 3 }),
    child({ colStart: 2, rowStart: 2, rowSpan: 2 }),
    child({ colStart: 2, rowStart: 5 }),
  ];
  const free = [child(), child(), child(), child(), child()];
  expect(automatic(2, 6, [...children, ...free])).toEqual(['1 1', '2 1', '2 4', '1 5', '1 6']);
});

it('a child without a placement comes below 2,000 that span 400,000 rows', () => {
  const spanning = tracks(2_000).map((_, index) => child({ colStart: index + 1, rowSpan: 400_000 }));
  expect(automatic(2_000, 400_000, [...spanning, child()])).toEqual(['1 400001']);
});
