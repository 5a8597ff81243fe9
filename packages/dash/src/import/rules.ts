import type { Cursor } from './cursor.ts';
import { ANY_PLAIN, LOST, PLAIN, REARRANGED, type Rule, STORED, STORED_WHY, WHOLE } from './rule-table.ts';

/** What became of a value. */
export type Outcome = 'kept' | 'changed' | 'lost';

/** What became of a value that no part of the import has read. */
export function ruleFor({ path, value }: Cursor): { readonly what: Outcome; readonly why: string } {
  if (STORED.includes(path[0] ?? '')) return { what: 'kept', why: STORED_WHY };
  const plain = PLAIN.find(
    ({ names, values }) => ends(path, names) && values?.some(usual => usual === shape(value)) === true,
  );
  const isEmpty = typeof value === 'object' && value !== null;
  if (plain !== undefined && isEmpty) return { what: 'kept', why: plain.why };
  const whole = WHOLE.find(({ names }) => holds(path, names));
  if (whole !== undefined && !ends(path, whole.names)) return { what: 'lost', why: whole.why };
  const anyway = plain ?? ANY_PLAIN.find(({ names }) => holds(path, names));
  if (anyway !== undefined) return { what: 'kept', why: anyway.why };
  if (STORED.includes(path.at(-1) ?? '')) return { what: 'kept', why: STORED_WHY };
  const rearranged = REARRANGED.find(({ names }) => ends(path, names));
  if (rearranged !== undefined) return { what: 'changed', why: rearranged.why };
  const lost = whole ?? LOST.find(({ names }) => holds(path, names));
  return { what: 'lost', why: lost?.why ?? 'dash has nothing like it' };
}

/** Empty lists and objects have no identity: they are compared as text. */
function shape(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** True when the path ends in the names. */
function ends(path: readonly string[], names: Rule['names']): boolean {
  return matchesAt(path, names, path.length - names.length);
}

function holds(path: readonly string[], names: Rule['names']): boolean {
  return path.some((_, at) => matchesAt(path, names, at));
}

function matchesAt(path: readonly string[], names: Rule['names'], at: number): boolean {
  return at >= 0 && names.every((name, index) => name === '*' || name === path[at + index]);
}
