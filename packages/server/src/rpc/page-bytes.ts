import { jsonBytes, rowsWithin } from '../connections/json-bytes.ts';

/** JSON bytes that the rows of a page take at most: a browser shows them at once, whatever their users are called. */
const PAGE_BYTES = 63_000;
/** JSON bytes of the rows of any answer: with the members beside them it stays below 2 MiB. */
export const ANSWER_BYTES = 2_000_000;

/**
 * The first rows of a page, as many as fit: at least one, so that a listing always goes on. The rows that are left out begin
 * the next page. Source: console, sections 7 and 11.
 */
export function fitting<Placed>(
  placed: readonly Placed[],
  rowOf: (item: Placed) => object,
): readonly Placed[] {
  return rowsWithin(PAGE_BYTES, placed, rowOf);
}

/** The rows of an answer without a cursor, as many as fit, and whether some are left out. */
export function withinAnswer<Row>(rows: readonly Row[]): {
  readonly rows: readonly Row[];
  readonly more: boolean;
} {
  const first = rowsWithin(ANSWER_BYTES, rows, row => row);
  return { rows: first, more: first.length < rows.length };
}

/** The first half of a text; two halves of a surrogate pair are one character. */
export function halfOfText(text: string): string {
  const middle = text.length >> 1;
  const isInside = (text.charCodeAt(middle) & 0xfc00) === 0xdc00;
  return text.slice(0, isInside ? middle - 1 : middle);
}

/** The first half of named texts; of a single one the first half of its value, and nothing of one without a value. */
export function halfOfTexts(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (texts.size > 1) return new Map([...texts].slice(0, texts.size >> 1));
  const [[name, value] = ['', '']] = texts;
  return value === '' ? new Map() : new Map([[name, halfOfText(value)]]);
}

/** Cuts something in half again and again, until its JSON takes at most so many bytes or nothing is left to cut. */
export function cutTo<Cut extends object>(
  mostBytes: number,
  whole: Cut,
  half: (cut: Cut) => Cut | undefined,
): Cut {
  let cut = whole;
  while (jsonBytes(cut) > mostBytes) {
    const next = half(cut);
    if (next === undefined) return cut;
    cut = next;
  }
  return cut;
}
