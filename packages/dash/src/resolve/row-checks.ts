import { nearest } from '@msg/foundation/suggest';
import type { RowField } from '../catalog/types.ts';
import { MOST_VIOLATIONS, type Violation } from '../catalog/violations.ts';
import { display } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject } from '../document/json.ts';
import { formatPointer } from '../document/pointer.ts';

/** Maximum number of unknown row keys with suggestions per document. */
export class KeySuggestions {
  #left = MOST_VIOLATIONS;

  for(key: string, present: Iterable<string>): string {
    if (this.#left === 0) return '';
    this.#left--;
    const names = nearest(key, present).map(name => `"${display(name)}"`);
    return `; there is ${names.join(', ')}`;
  }
}

/** The first rows in which the cells of one key violate a rule. */
interface Column {
  readonly noNumber: number[];
  readonly noAmount: number[];
}

/** Checks of one list of rows, which are read once, however many nodes and keys use them. */
export class RowChecks {
  readonly rows: readonly Json[];
  /** The rows if all are objects; otherwise none. */
  readonly objects: readonly JsonObject[];
  readonly #violations = new Map<string, readonly Violation[]>();
  readonly #suggestions: KeySuggestions;
  #columns: ReadonlyMap<string, Column> | undefined;

  constructor(rows: readonly Json[], suggestions: KeySuggestions) {
    this.rows = rows;
    this.objects = rows.every(isJsonObject) ? rows : [];
    this.#suggestions = suggestions;
  }

  once(check: string, run: () => readonly Violation[]): readonly Violation[] {
    const violations = this.#violations.get(check) ?? run();
    this.#violations.set(check, violations);
    return violations;
  }

  /** Why the cells of a key do not match the cell type. */
  violationsFor(cell: RowField['cell'], key: string): readonly Violation[] {
    return this.once(`${cell} ${key}`, () => {
      this.#columns ??= columnsOf(this.objects);
      const column = this.#columns.get(key);
      if (column === undefined) return [this.#missing(key, this.#columns.keys())];
      if (cell === 'any') return [];
      const wanted = cell === 'number' ? 'a number' : 'a number of at least 0';
      return (cell === 'number' ? column.noNumber : column.noAmount).map(index => ({
        pointer: formatPointer([String(index), key]),
        keyword: 'rowFields',
        message: `"${display(key)}" must be ${wanted} or null`,
      }));
    });
  }

  #missing(key: string, present: Iterable<string>): Violation {
    const message = `key "${display(key)}" does not exist in any row${this.#suggestions.for(key, present)}`;
    return { pointer: '', keyword: 'rowFields', message };
  }
}

/** Reads all cells once: a lookup per key and row would take the product of both. */
function columnsOf(rows: readonly JsonObject[]): Map<string, Column> {
  const columns = new Map<string, Column>();
  for (const [index, row] of rows.entries()) {
    for (const [key, value] of Object.entries(row)) {
      const column = columns.get(key) ?? { noNumber: [], noAmount: [] };
      columns.set(key, column);
      if (value === null) continue;
      if (typeof value !== 'number') note(column.noNumber, index);
      if (typeof value !== 'number' || !(value >= 0)) note(column.noAmount, index);
    }
  }
  return columns;
}

function note(places: number[], index: number): void {
  if (places.length < MOST_VIOLATIONS) places.push(index);
}
