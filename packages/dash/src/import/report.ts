import { defined } from '@msg/foundation/json';
import { jsonEqual } from '../document/canonical.ts';
import type { Json, JsonObject } from '../document/json.ts';
import { formatPointer } from '../document/pointer.ts';
import type { Cursor } from './cursor.ts';
import { type Outcome, ruleFor } from './rules.ts';

/** What became of a value of the imported file, or of everything below it. */
export interface ReportEntry {
  /** JSON Pointer into the imported file. */
  readonly where: string;
  /** `kept`: it holds as it was. `changed`: it holds in another form. `lost`: it does not hold any more. */
  readonly what: Outcome;
  /** The reason; absent for a value that stands at `to` as it was. */
  readonly why?: string;
  /** JSON Pointer into the document: where the value, or what became of it, stands. */
  readonly to?: string;
}

/** What became of every value of the imported file, in its order. */
export interface ImportReport {
  readonly kept: number;
  readonly changed: number;
  readonly lost: number;
  readonly entries: readonly ReportEntry[];
}

/** A member of an object, or an element of a list, of the document that is being made. */
type Holder = JsonObject | Json[];

interface Note {
  readonly cursor: Cursor;
  readonly what: Outcome;
  readonly why: string | undefined;
  readonly place: { readonly holder: Holder; readonly key: string } | undefined;
}

/** Collects what becomes of each value while a document is made; what is not mentioned is judged by the rules. */
export class ReportBuilder {
  readonly #notes = new Map<string, Note>();

  /** The value stands in the document as it was; one that was rewritten there counts as changed. */
  keep(cursor: Cursor, holder: Holder, key: string): void {
    this.#add({ cursor, what: 'kept', why: undefined, place: { holder, key } });
  }

  /** The document does what the value asks for without holding it. */
  same(cursor: Cursor, why: string): void {
    this.#add({ cursor, what: 'kept', why, place: undefined });
  }

  change(cursor: Cursor, why: string, holder?: Holder, key = ''): void {
    this.#add({ cursor, what: 'changed', why, place: holder && { holder, key } });
  }

  lose(cursor: Cursor, why: string): void {
    this.#add({ cursor, what: 'lost', why, place: undefined });
  }

  /** True when something was said about exactly this value. */
  mentions(cursor: Cursor): boolean {
    return this.#notes.has(cursor.pointer);
  }

  /** The report over all of a file. */
  finish(file: Cursor, document: JsonObject): ImportReport {
    const places = pointersOf(document);
    const entries: ReportEntry[] = [];
    this.#walk(file, places, entries);
    const count = (what: Outcome): number => entries.filter(entry => entry.what === what).length;
    return { kept: count('kept'), changed: count('changed'), lost: count('lost'), entries };
  }

  #add(note: Note): void {
    const { pointer, exists } = note.cursor;
    if (exists && !this.#notes.has(pointer)) this.#notes.set(pointer, note);
  }

  /** Adds the entries of a value. True when it has one entry for all of it, which may be merged with its neighbours'. */
  #walk(cursor: Cursor, places: ReadonlyMap<object, string>, entries: ReportEntry[]): boolean {
    const note = this.#notes.get(cursor.pointer);
    if (note !== undefined) {
      entries.push(entryOf(note, places));
      return false;
    }
    const inner = Array.isArray(cursor.value) ? cursor.items : cursor.members.map(([, member]) => member);
    if (inner.length === 0) {
      entries.push({ where: cursor.pointer, ...ruleFor(cursor) });
      return true;
    }
    const first = entries.length;
    const merges = inner.map(child => this.#walk(child, places, entries)).every(merge => merge);
    const [entry, ...others] = entries.slice(first);
    const alike = others.every(({ what, why }) => what === entry?.what && why === entry.why);
    if (!merges || entry === undefined || !alike || cursor.path.length === 0) return false;
    entries.splice(first, entries.length - first, { ...entry, where: cursor.pointer });
    return true;
  }
}

function entryOf({ cursor, what, why, place }: Note, places: ReadonlyMap<object, string>): ReportEntry {
  const where = cursor.pointer;
  const holder = place && places.get(place.holder);
  const to = place && holder !== undefined ? `${holder}${formatPointer([place.key])}` : undefined;
  if (what === 'kept' && place !== undefined) {
    const value = (place.holder as JsonObject)[place.key];
    if (value !== undefined && to !== undefined && jsonEqual(value, cursor.value ?? null))
      return { where, what, to };
    if (to !== undefined) return { where, what: 'changed', why: 'written in another form', to };
  }
  if (place !== undefined && to === undefined)
    return { where, what: 'lost', why: 'nothing on the dashboard shows it' };
  return defined({ where, what, why, to });
}

/** The pointer of every object and list of a document. */
function pointersOf(document: JsonObject): Map<object, string> {
  const places = new Map<object, string>();
  const visit = (value: Json, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    places.set(value, formatPointer(path));
    const inner = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [key, child] of inner) visit(child, [...path, String(key)]);
  };
  visit(document, []);
  return places;
}
