import type { NodeTypes } from '../catalog/node-types.ts';
import type { Json, JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { applyChangeset } from './apply.ts';
import { parseChangeset } from './parse.ts';

/** An operation that does not apply to the current document any more. */
interface FailingOperation {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** The operations that still apply, in their order. */
export interface RebasedOperations {
  readonly ops: readonly Json[];
  readonly failing: readonly FailingOperation[];
}

interface RebaseContext {
  readonly types: NodeTypes;
  /** @throws DashError when the document does not resolve. */
  resolve(document: JsonObject): unknown;
}

/**
 * Tries the operations one after another on a document and leaves out what fails; when the rest does not resolve, those
 * that break it are left out, too.
 */
export function rebaseOperations(
  id: string,
  document: JsonObject,
  ops: readonly Json[],
  context: RebaseContext,
): RebasedOperations {
  const failing: FailingOperation[] = [];
  const fail = (index: number, error: unknown): void => {
    if (!(error instanceof DashError)) throw error;
    failing.push({ index, code: error.code, message: error.message });
  };
  let [state, indexes]: [JsonObject, number[]] = [document, []];
  for (const [index, operation] of ops.entries()) {
    try {
      state = applied(id, state, [operation], context);
      indexes.push(index);
    } catch (error) {
      fail(index, error);
    }
  }
  try {
    context.resolve(state);
  } catch {
    indexes = resolvingPart(id, document, ops, indexes, context, fail);
  }
  return {
    ops: indexes.map(index => ops[index] as Json),
    failing: failing.toSorted((a, b) => a.index - b.index),
  };
}

/** Operation by operation, each kept only when the document resolves with it. */
function resolvingPart(
  id: string,
  document: JsonObject,
  ops: readonly Json[],
  indexes: readonly number[],
  context: RebaseContext,
  fail: (index: number, error: unknown) => void,
): number[] {
  const resolving: number[] = [];
  let state = document;
  for (const index of indexes) {
    try {
      const next = applied(id, state, [ops[index] as Json], context);
      context.resolve(next);
      state = next;
      resolving.push(index);
    } catch (error) {
      fail(index, error);
    }
  }
  return resolving;
}

function applied(
  id: string,
  document: JsonObject,
  ops: readonly Json[],
  { types }: RebaseContext,
): JsonObject {
  return applyChangeset(id, document, parseChangeset([...ops]), types);
}
