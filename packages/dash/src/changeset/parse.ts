import { firstInexactNumber } from '#src/document/canonical.ts';
import { isFiniteJson, isJsonObject, type Json, type JsonObject } from '#src/document/json.ts';
import { MAX_NESTING, nestsDeeper } from '#src/document/nesting.ts';
import { type Pointer, parsePointer } from '#src/document/pointer.ts';
import { DashError } from '#src/errors.ts';
import { OPERATION_NAMES, type Operation, type OperationName } from './operation.ts';

/** Most operations of one changeset (dashboard details 18). */
export const MAX_OPERATIONS = 1_000;

/**
 * Reads an RFC 6902 array with literal pointers; `''` addresses the whole document.
 *
 * @throws DashError PATCH_INVALID or PATCH_POINTER_INVALID for the first fault.
 */
export function parseLiteralPatch(patch: unknown): Operation[] {
  if (!Array.isArray(patch)) throw invalid('a changeset is a JSON array of operations');
  if (patch.length > MAX_OPERATIONS)
    throw invalid(`at most ${MAX_OPERATIONS} operations are allowed, not ${patch.length}`);
  if (nestsDeeper(patch)) throw invalid(`arrays and objects may nest ${MAX_NESTING} levels deep`);
  return patch.map(readOperation);
}

/**
 * Reads a changeset with id-rooted pointers: every pointer has a first segment (dashboard details 11.1). Every
 * syntactic fault of every operation is found here, before a document is loaded.
 *
 * @throws DashError PATCH_INVALID or PATCH_POINTER_INVALID for the first fault.
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
 * Refuses the text of a changeset that parsing would alter: what is stored, and shown before, is what was written.
 *
 * @throws DashError PATCH_INVALID for a number that a double cannot hold, such as `9007199254740993`.
 */
export function requireExactNumbers(text: string): void {
  const inexact = firstInexactNumber(text);
  if (inexact !== undefined) throw invalid(`a double cannot hold the number ${inexact.slice(0, 100)}`);
}

function requireRooted(index: number, pointer: string, path: Pointer): void {
  if (pointer === '') throw pointerInvalid(index, pointer, 'empty');
  if (path[0] === '') throw pointerInvalid(index, pointer, 'empty_first_segment');
}

function readOperation(candidate: Json, index: number): Operation {
  if (!isJsonObject(candidate)) throw invalid('an operation is a JSON object', { index });
  const op = Object.hasOwn(candidate, 'op') ? candidate['op'] : undefined;
  if (op === undefined) throw invalid('the member "op" is missing', { index, member: 'op' });
  if (!OPERATION_NAMES.includes(op as OperationName)) {
    const shown = typeof op === 'string' ? { op: op.slice(0, 100) } : {};
    throw invalid(`"op" is one of ${OPERATION_NAMES.join(', ')}`, { index, member: 'op', ...shown });
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
    throw invalid(`"${name}" needs the member "value"`, { index, op: name, member: 'value' });
  }
  if (!isFiniteJson(value)) {
    throw invalid('"value" holds a number that a double cannot hold', { index, op: name, member: 'value' });
  }
  return { op: name, pointer, path, value };
}

function textMember(candidate: JsonObject, member: string, op: OperationName, index: number): string {
  const text = Object.hasOwn(candidate, member) ? candidate[member] : undefined;
  if (typeof text === 'string') return text;
  const fault = text === undefined ? 'is missing' : 'is not a string';
  throw invalid(`the member "${member}" of "${op}" ${fault}`, { index, op, member });
}

function segmentsOf(pointer: string, index: number): Pointer {
  const segments = parsePointer(pointer);
  if (typeof segments === 'string') throw pointerInvalid(index, pointer, segments);
  return segments;
}

function invalid(reason: string, where: Record<string, unknown> = {}): DashError {
  return new DashError('PATCH_INVALID', `The changeset is malformed: ${reason}.`, { ...where, reason });
}

function pointerInvalid(index: number, pointer: string, reason: string): DashError {
  const message = `Operation ${index} has a malformed pointer ${JSON.stringify(pointer.slice(0, 200))} (${reason}).`;
  return new DashError('PATCH_POINTER_INVALID', message, { index, pointer, reason });
}
