import { firstInexactNumber } from '../document/canonical.ts';
import { display, displayValue } from '../document/display.ts';
import { isFiniteJson, isJsonObject, type Json, type JsonObject } from '../document/json.ts';
import { MAX_NESTING, nestsDeeper } from '../document/nesting.ts';
import { type Pointer, parsePointer } from '../document/pointer.ts';
import { DashError } from '../errors.ts';
import { OPERATION_NAMES, type Operation, type OperationName } from './operation.ts';

/** Most operations of one changeset (dashboard details 18). */
const MAX_OPERATIONS = 1_000;

/**
 * Reads an RFC 6902 array with literal pointers; `''` addresses the whole document.
 * @throws DashError PATCH_INVALID or PATCH_POINTER_INVALID for the first error.
 */
export function parseLiteralPatch(patch: unknown): Operation[] {
  if (!Array.isArray(patch)) throw changesetInvalid('must be a JSON array of operations');
  if (patch.length > MAX_OPERATIONS)
    throw changesetInvalid(`must have at most ${MAX_OPERATIONS} operations; got ${patch.length}`);
  if (nestsDeeper(patch)) throw tooDeep();
  return patch.map(readOperation);
}

/**
 * Reads a changeset with id-rooted pointers: every pointer has a first segment (dashboard details 11.1). It finds every
 * syntactic error before a document is loaded.
 * @throws DashError PATCH_INVALID or PATCH_POINTER_INVALID for the first error.
 */
export function parseChangeset(patch: unknown): Operation[] {
  const operations = parseLiteralPatch(patch);
  for (const [index, operation] of operations.entries()) {
    requireRooted(index, operation.pointer, operation.path);
    if (operation.source !== undefined) requireRooted(index, operation.source, operation.from ?? []);
  }
  return operations;
}

/**
 * Refuses the text of a changeset that parsing would change: the stored text must be the author's.
 * @throws DashError PATCH_INVALID for a number that a double cannot hold, such as `9007199254740993`.
 */
export function requireExactNumbers(text: string): void {
  const inexact = firstInexactNumber(text);
  if (inexact !== undefined)
    throw changesetInvalid(`must have only numbers that a double can hold; got ${display(inexact)}`);
}

/** The error PATCH_INVALID of a changeset with too deep nesting. */
export function tooDeep(): DashError {
  return changesetInvalid(`must be nested at most ${MAX_NESTING} levels deep; got more`);
}

function requireRooted(index: number, pointer: string, path: Pointer): void {
  if (pointer === '') throw pointerInvalid(index, pointer, 'empty');
  if (path[0] === '') throw pointerInvalid(index, pointer, 'empty_first_segment');
}

function readOperation(candidate: Json, index: number): Operation {
  if (!isJsonObject(candidate))
    throw operationInvalid(index, `it must be a JSON object; got ${displayValue(candidate)}`);
  const op = Object.hasOwn(candidate, 'op') ? candidate['op'] : undefined;
  if (op === undefined) throw operationInvalid(index, '"op" is required', { member: 'op' });
  if (!OPERATION_NAMES.includes(op as OperationName)) {
    throw operationInvalid(
      index,
      `"op" must be one of ${OPERATION_NAMES.join(', ')}; got ${displayValue(op)}`,
      {
        member: 'op',
        op: typeof op === 'string' ? op : undefined,
      },
    );
  }
  const name = op as OperationName;
  const pointer = textMember(candidate, 'path', name, index);
  const path = segmentsOf(pointer, index);
  if (name === 'move' || name === 'copy') {
    const source = textMember(candidate, 'from', name, index);
    return { op: name, pointer, path, source, from: segmentsOf(source, index) };
  }
  if (name === 'remove') return { op: name, pointer, path };
  const value = Object.hasOwn(candidate, 'value') ? candidate['value'] : undefined;
  if (value === undefined) {
    throw operationInvalid(index, `"value" of "${name}" is required`, { op: name, member: 'value' });
  }
  if (!isFiniteJson(value)) {
    throw operationInvalid(index, '"value" must have only numbers that a double can hold', {
      op: name,
      member: 'value',
    });
  }
  return { op: name, pointer, path, value };
}

function textMember(candidate: JsonObject, member: string, op: OperationName, index: number): string {
  const text = Object.hasOwn(candidate, member) ? candidate[member] : undefined;
  if (typeof text === 'string') return text;
  const wrong = text === undefined ? 'is required' : `must be a text; got ${displayValue(text)}`;
  throw operationInvalid(index, `"${member}" of "${op}" ${wrong}`, { op, member });
}

function segmentsOf(pointer: string, index: number): Pointer {
  const segments = parsePointer(pointer);
  if (typeof segments === 'string') throw pointerInvalid(index, pointer, segments);
  return segments;
}

function changesetInvalid(reason: string): DashError {
  return new DashError('PATCH_INVALID', `The changeset ${reason}.`, { reason });
}

function operationInvalid(index: number, reason: string, where: Record<string, unknown> = {}): DashError {
  return new DashError('PATCH_INVALID', `Operation ${index}: ${reason}.`, { index, ...where, reason });
}

function pointerInvalid(index: number, pointer: string, reason: string): DashError {
  const message = `Operation ${index}: the pointer must be /<node id or scope>/<RFC 6901 pointer>; got "${display(pointer)}" (${reason}).`;
  return new DashError('PATCH_POINTER_INVALID', message, { index, pointer, reason });
}
