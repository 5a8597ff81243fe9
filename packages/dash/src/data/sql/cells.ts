import type { Json } from '../../document/json.ts';

/** Characters of a text of bytes. */
const MOST_BYTES_TEXT = 64;
/** Decimal digits that a number of JavaScript always keeps. */
const EXACT_DIGITS = 15;

/** The value of a cell from its text. */
type CellReader = (text: string) => Json;

/** How the text of a cell becomes its value, by the number of its type; any other type is text. */
export const CELL_READERS: ReadonlyMap<number, CellReader> = new Map<number, CellReader>([
  [16, text => text === 't'], // bool
  [17, bytes], // bytea
  [20, exactInteger], // int8
  [21, Number], // int2
  [23, Number], // int4
  [26, Number], // oid
  [114, asWritten], // json
  [700, finite], // float4
  [701, finite], // float8
  [1082, asWritten], // date
  [1114, moment], // timestamp
  [1184, moment], // timestamp with time zone
  [1700, exactDecimal], // numeric
  [3802, asWritten], // jsonb
]);

function asWritten(text: string): string {
  return text;
}

/** Not-a-number and infinities are null. */
function finite(text: string): number | null {
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

function exactInteger(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

function exactDecimal(text: string): number | string | null {
  const number = Number(text);
  if (Number.isNaN(number) || /^-?Infinity$/.test(text)) return null;
  const digits = text.replace(/[-.]/g, '').replace(/^0+/, '');
  const isExact = withoutTrailingZeros(digits).length <= EXACT_DIGITS && Number.isFinite(number);
  return isExact || String(number) === text ? number : text;
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** `\x…`, cut. */
function bytes(text: string): string {
  return text.length <= MOST_BYTES_TEXT ? text : `${text.slice(0, MOST_BYTES_TEXT - 1)}…`;
}

/** A moment as ISO 8601, in UTC where it has a zone; before Christ and infinite ones as PostgreSQL writes them. */
function moment(text: string): string {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?(?:\+00)?$/.test(text)) return text;
  const time = text.endsWith('+00') ? `${text.slice(11, -3)}Z` : text.slice(11);
  return `${text.slice(0, 10)}T${time}`;
}
