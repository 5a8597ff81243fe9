import { isJsonObject, type Json, ownMember } from '../document/json.ts';
import { arrayIndex, formatPointer, type Pointer, valueAt } from '../document/pointer.ts';
import type { OperationLocation } from './guard.ts';
import type { ApplyError } from './literal.ts';
import type { NodeTree } from './node-tree.ts';
import { type ResolvedTarget, SCOPE_MEMBERS } from './target.ts';

/** How an operation that cannot be applied is corrected: members of its details (review details 7.2). */
export interface PathHelp {
  readonly hint?: string;
  readonly suggestedPath?: string;
}

const SCOPE_NAMES: ReadonlySet<string> = new Set(['root', ...Object.values(SCOPE_MEMBERS)]);
/** Lists whose entries have a name, with the member that holds it. */
const NAMED_ENTRIES: Readonly<Record<string, string>> = { $variables: 'name', $connections: 'id' };

/** The pointer with `$` before a scope that was written without it. */
export function scopePath(pointer: string): string | undefined {
  const [, first = ''] = pointer.split('/');
  return SCOPE_NAMES.has(first) ? `/$${pointer.slice(1)}` : undefined;
}

/** Help for an operation that fails as RFC 6902 says. */
export function pathHelp(
  document: Json,
  tree: NodeTree,
  target: ResolvedTarget,
  { operation: { op } }: OperationLocation,
  error: ApplyError,
): PathHelp {
  if (error === 'test' || error === 'descendant') return {};
  const entry = entryPath(document, target) ?? childPath(tree, target);
  if (entry !== undefined) return { suggestedPath: entry };
  const isAbsentMember = op === 'replace' && error !== 'index' && target.class !== 'immutable';
  if (isAbsentMember && canBeAdded(target)) return { hint: 'use add' };
  return {};
}

/** An add creates the parents of these. */
function canBeAdded({ class: targetClass, field, rest }: ResolvedTarget): boolean {
  if (targetClass === 'config-field' || targetClass === 'scope-field') return field !== undefined;
  return targetClass === 'theme' || (targetClass === 'node-data' && rest.length <= 2);
}

/** An entry of a list that was addressed by its name instead of its index; the end of the list for an unknown name. */
function entryPath(
  document: Json,
  { id, kind, pointer, rest, position }: ResolvedTarget,
): string | undefined {
  const [scope, name, ...below] = kind === 'scope' ? [id ?? '', ...rest] : rest;
  const list =
    kind === 'scope' ? valueAt(document, pointer.slice(0, 1)) : ownMember(position?.node ?? {}, 'variables');
  const member = NAMED_ENTRIES[kind === 'scope' ? (scope ?? '') : `$${scope}`];
  if (member === undefined || name === undefined || name === '-' || arrayIndex(name) !== undefined)
    return undefined;
  const entries = Array.isArray(list) ? list : [];
  const index = entries.findIndex(entry => isJsonObject(entry) && ownMember(entry, member) === name);
  const head: Pointer = kind === 'scope' ? [scope ?? ''] : [id ?? '', scope ?? ''];
  if (index >= 0) return formatPointer([...head, String(index), ...below]);
  return below.length === 0 ? formatPointer([...head, '-']) : undefined;
}

/** A child that was addressed by its id below `children`; the end of the children for an unknown id. */
function childPath(tree: NodeTree, { id, class: targetClass, rest }: ResolvedTarget): string | undefined {
  const [, name = ''] = rest;
  if (targetClass !== 'child-slot' || name === '-' || arrayIndex(name) !== undefined) return undefined;
  if (tree.find(name) !== undefined) return formatPointer([name]);
  return id === undefined ? undefined : formatPointer([id, 'children', '-']);
}
