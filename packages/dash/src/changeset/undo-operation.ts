import { jsonEqual } from '../document/canonical.ts';
import { cloneJson, type Json, type JsonObject } from '../document/json.ts';
import { formatPointer } from '../document/pointer.ts';

/** An operation as a changeset holds it. */
export type OperationData = JsonObject;

/** Add, replace or remove, so that the value at `path` becomes `to`. */
export function writeOperation(path: string, from: Json | undefined, to: Json | undefined): OperationData[] {
  if (jsonEqual(from, to)) return [];
  if (to === undefined) return [{ op: 'remove', path }];
  return [{ op: from === undefined ? 'add' : 'replace', path, value: cloneJson(to) }];
}

/** Pointer below a node. */
export function nodePointer(id: string, ...rest: readonly string[]): string {
  return formatPointer([id, ...rest]);
}
