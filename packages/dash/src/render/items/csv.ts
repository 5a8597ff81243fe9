import type { Json } from '../../document/json.ts';
import { cellText } from './leaf.ts';

/** What a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula has `'` before it; numbers have not. */
export function csvText(header: readonly string[], rows: readonly (readonly Json[])[]): string {
  const lines = header.length === 0 ? rows : [header, ...rows];
  return lines.map(cells => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(cell: Json): string {
  const text = cellText(cell);
  const safe = typeof cell !== 'number' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
