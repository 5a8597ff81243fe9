import type { Json } from '../document/json.ts';
import type { DataRows } from './contract.ts';

/** Bytes of a row and of a cell without its content, as V8 keeps them. */
const ROW_BYTES = 32;
const CELL_BYTES = 24;

/** About how much memory rows take. */
export function sizeOfRows({ columns, rows }: DataRows): number {
  let bytes = columns.length * CELL_BYTES;
  for (const row of rows) {
    bytes += ROW_BYTES;
    for (const key in row) bytes += CELL_BYTES + sizeOfCell(row[key]);
  }
  return bytes;
}

function sizeOfCell(cell: Json | undefined): number {
  if (typeof cell === 'string') return 2 * cell.length;
  return typeof cell === 'object' && cell !== null ? 2 * JSON.stringify(cell).length : 0;
}
