import type { Row } from '../../data/contract.ts';
import type { Json } from '../../document/json.ts';
import { groupThousands } from '../thousands.ts';

/** The figure of rows in stored order; null where no cell gives one (dashboard details 5.6). */
export function aggregate(rows: readonly Row[], field: string | undefined, how: string): Json {
  if (how === 'count' && field === undefined) return rows.length;
  const cells = rows.map(row => cellOf(row, field)).filter(cell => cell !== null);
  if (how === 'count') return cells.length;
  if (how === 'first') return cells[0] ?? null;
  if (how === 'last') return cells.at(-1) ?? null;
  return amount(
    cells.filter(cell => typeof cell === 'number'),
    how,
  );
}

function amount(numbers: readonly number[], how: string): number | null {
  if (numbers.length === 0) return null;
  if (how === 'min') return numbers.reduce((least, number) => Math.min(least, number));
  if (how === 'max') return numbers.reduce((most, number) => Math.max(most, number));
  const sum = numbers.reduce((total, number) => total + number, 0);
  return how === 'avg' ? sum / numbers.length : sum;
}

function cellOf(row: Row, field: string | undefined): Json {
  return field !== undefined && Object.hasOwn(row, field) ? (row[field] ?? null) : null;
}

/** A figure as text; undefined for null. Numbers follow the format, everything else is shown as it is. */
export function figureText(
  value: Json,
  format: string | undefined,
  digits: Json | undefined,
): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'number') return typeof value === 'object' ? JSON.stringify(value) : String(value);
  const places = typeof digits === 'number' ? digits : undefined;
  if (format === 'integer') return grouped(value, 0);
  if (format === 'decimal') return grouped(value, places ?? 2);
  if (format === 'percent') return `${fixed(shifted(value, 2), places ?? 0)}%`;
  return String(value);
}

/** A number with `digits` fraction digits, thousands grouped with commas. */
function grouped(value: number, digits: number): string {
  const [whole = '', fraction] = fixed(value, digits).split('.');
  const sign = whole.startsWith('-') ? '-' : '';
  const separated = `${sign}${groupThousands(whole.slice(sign.length))}`;
  return fraction === undefined ? separated : `${separated}.${fraction}`;
}

/** A number with `digits` fraction digits; halves of the written number round away from zero, and -0 is 0. */
function fixed(value: number, digits: number): string {
  const rounded = shifted(roundAway(shifted(value, digits)), -digits);
  const text = Math.abs(rounded) >= 1e21 ? BigInt(rounded).toString() : rounded.toFixed(digits);
  return /^-[0.]*$/.test(text) ? text.slice(1) : text;
}

const roundAway = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

/** The written number × 10^places, so that 1.005 has its half. */
function shifted(value: number, places: number): number {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + places}`);
}
