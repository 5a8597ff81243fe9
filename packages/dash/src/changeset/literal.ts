import { jsonEqual } from '../document/canonical.ts';
import { display } from '../document/display.ts';
import { cloneJson, isJsonObject, type Json, ownMember, setMember } from '../document/json.ts';
import { arrayIndex, childOf, isBelow, type Pointer, valueAt } from '../document/pointer.ts';
import { DashError } from '../errors.ts';
import { CopyBudget } from './copy-budget.ts';
import type { Operation } from './operation.ts';
import { parseLiteralPatch } from './parse.ts';

/** Why an operation cannot be applied: the `reason` of PATCH_APPLY_FAILED (dashboard details 11.3). */
export type ApplyError = 'missing' | 'index' | 'parent' | 'test' | 'descendant';

/** The edited document, in an object, because an operation may replace the whole value. */
export interface Draft {
  document: Json;
}

/**
 * Applies a literal RFC 6902 patch to a copy of `document`, whole or not at all.
 * @throws DashError PATCH_INVALID, PATCH_POINTER_INVALID, PATCH_APPLY_FAILED `{index, op, pointer, reason, actual?}`, or
 *   PATCH_STRUCTURE_INVALID `reason: "size"` when it copies more than 8 MiB.
 */
export function applyLiteralPatch(document: Json, patch: unknown): Json {
  const operations = parseLiteralPatch(patch);
  const draft: Draft = { document: cloneJson(document) };
  const copyBudget = new CopyBudget();
  for (const [index, operation] of operations.entries()) {
    const copied = (value: Json): Json => copyBudget.copy(value, index, operation.pointer);
    const error = applyLiteral(draft, operation, copied);
    if (error !== undefined)
      throw applyFailed(index, operation, error, valueAt(draft.document, operation.path));
  }
  return draft.document;
}

/**
 * Applies one operation in place; after an error discard the draft. Added values are copies, so that later operations
 * cannot change the patch or another place.
 */
function applyLiteral(
  draft: Draft,
  operation: Operation,
  copied: (value: Json) => Json,
): ApplyError | undefined {
  const { op, path } = operation;
  if (op === 'test') return testAt(draft, path, operation.value as Json);
  if (op === 'add') return addAt(draft, path, cloneJson(operation.value as Json));
  if (op === 'replace') return replaceAt(draft, path, cloneJson(operation.value as Json));
  if (op === 'remove') return removeAt(draft, path);
  const { from = [] } = operation;
  const value = valueAt(draft.document, from);
  if (value === undefined) return errorOf(draft, from);
  return op === 'copy' ? addAt(draft, path, copied(value)) : move(draft, value, from, path);
}

function move(draft: Draft, value: Json, from: Pointer, path: Pointer): ApplyError | undefined {
  if (isBelow(path, from)) return 'descendant';
  if (from.length === 0) return undefined;
  removeAt(draft, from);
  return addAt(draft, path, value);
}

/** RFC 6902 `test`. */
export function testAt(draft: Draft, path: Pointer, expected: Json): ApplyError | undefined {
  const actual = valueAt(draft.document, path);
  if (actual === undefined) return errorOf(draft, path);
  return jsonEqual(actual, expected) ? undefined : 'test';
}

/** RFC 6902 `add`: inserts into an array, sets a member, or replaces the whole document. */
export function addAt(draft: Draft, path: Pointer, value: Json): ApplyError | undefined {
  const last = path.at(-1);
  if (last === undefined) {
    draft.document = value;
    return undefined;
  }
  const parent = valueAt(draft.document, path.slice(0, -1));
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : arrayIndex(last);
    if (index === undefined || index > parent.length) return 'index';
    parent.splice(index, 0, value);
    return undefined;
  }
  if (!isJsonObject(parent)) return 'parent';
  setMember(parent, last, value);
  return undefined;
}

/** RFC 6902 `replace`: the target must exist. */
export function replaceAt(draft: Draft, path: Pointer, value: Json): ApplyError | undefined {
  const last = path.at(-1);
  if (last === undefined) {
    draft.document = value;
    return undefined;
  }
  const parent = valueAt(draft.document, path.slice(0, -1));
  if (childOf(parent, last) === undefined) return errorOf(draft, path);
  if (Array.isArray(parent)) parent[Number(last)] = value;
  else if (isJsonObject(parent)) setMember(parent, last, value);
  return undefined;
}

/** RFC 6902 `remove`; removing the whole document leaves `null`. */
export function removeAt(draft: Draft, path: Pointer): ApplyError | undefined {
  const last = path.at(-1);
  if (last === undefined) {
    draft.document = null;
    return undefined;
  }
  const parent = valueAt(draft.document, path.slice(0, -1));
  if (childOf(parent, last) === undefined) return errorOf(draft, path);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isJsonObject(parent)) delete parent[last];
  return undefined;
}

/** The reason why `path` has no value: no parent, no such index, or no such member. */
function errorOf(draft: Draft, path: Pointer): ApplyError {
  const parent = valueAt(draft.document, path.slice(0, -1));
  if (Array.isArray(parent)) return 'index';
  return isJsonObject(parent) && ownMember(parent, path.at(-1) ?? '') === undefined ? 'missing' : 'parent';
}

/** PATCH_APPLY_FAILED; `actual` is shown for a failed `test` when it is a scalar. */
export function applyFailed(
  index: number,
  operation: Operation,
  reason: ApplyError,
  actual?: Json,
  help: { readonly hint?: string; readonly suggestedPath?: string } = {},
): DashError {
  const { op, pointer } = operation;
  const isShown =
    reason === 'test' && actual !== undefined && (actual === null || typeof actual !== 'object');
  const message = `${op} on ${display(pointer)} is not allowed (operation ${index}): ${EXPLANATION[reason]}.`;
  return new DashError('PATCH_APPLY_FAILED', message, {
    index,
    op,
    pointer,
    reason,
    actual: isShown ? actual : undefined,
    ...help,
  });
}

const EXPLANATION: Readonly<Record<ApplyError, string>> = {
  missing: 'the member does not exist',
  index: 'the index does not exist',
  parent: 'the parent does not exist or holds no members',
  test: 'the stored value differs',
  descendant: 'a value cannot move into itself',
};
