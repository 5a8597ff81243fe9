import { cutText, padText, textWidth } from './safe-text.ts';
import type { Style } from './style.ts';

/** A column of a table: its name and one cell per row. */
export interface Column {
  readonly name: string;
  readonly cells: readonly string[];
  /** Its cells may be cut. */
  readonly isCuttable: boolean;
}

const GAP = '  ';
/** A column is not cut below this. */
const LEAST_WIDTH = 8;

/** The widths of the columns within a total width; `undefined` when there is not enough of it. */
function widthsWithin(columns: readonly Column[], width: number): number[] | undefined {
  const widths = columns.map(({ name, cells }) =>
    cells.reduce((width, cell) => Math.max(width, textWidth(cell)), textWidth(name)),
  );
  const least = columns.map(({ name, isCuttable }, at) =>
    isCuttable ? Math.min(widths[at] ?? 0, Math.max(LEAST_WIDTH, textWidth(name))) : (widths[at] ?? 0),
  );
  let excess = widths.reduce((sum, each) => sum + each, GAP.length * (columns.length - 1)) - width;
  while (excess > 0) {
    const slack = widths.map((each, at) => (each > (least[at] ?? 0) ? each : 0));
    const widest = slack.indexOf(Math.max(...slack));
    if (slack[widest] === 0) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess--;
  }
  return widths;
}

/** The lines of a table; `undefined` when it does not fit the width. */
export function tableLines(columns: readonly Column[], width: number, style: Style): string[] | undefined {
  const widths = widthsWithin(columns, width);
  if (widths === undefined) return undefined;
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => padText(cutText(cell, widths[at] ?? 0), widths[at] ?? 0))
      .join(GAP)
      .trimEnd();
  const rows = (columns[0]?.cells ?? []).map((_cell, row) => columns.map(({ cells }) => cells[row] ?? ''));
  return [style.heading(line(columns.map(({ name }) => name))), ...rows.map(line)];
}
