import type { NodeTypes } from '../catalog/node-types.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { applyChangeset } from './apply.ts';
import { parseChangeset } from './parse.ts';
import { type LostName, lostNames, renamingOps } from './renaming.ts';
import type { OperationData } from './undo-operation.ts';
import { pathOfUse, type Use, usesOf } from './uses.ts';

const MOST_OPS = 50;
const MOST_OPS_BYTES = 16 * 1024;
const MOST_FURTHER = 20;

/** The code of a use whose name does not exist. */
const CODES = {
  variable: 'VAR_UNDEFINED',
  connection: 'BINDING_CONNECTION_NOT_FOUND',
  node: 'CONFIGURATOR_TARGET_NOT_FOUND',
} as const;

interface ResolvingTypes {
  readonly types: NodeTypes;
  /** @throws DashError when the document does not resolve. */
  resolve(document: JsonObject): unknown;
}

/**
 * The error of a changeset that takes a name away and leaves uses of it: with the uses of every stage in `also`, and,
 * where one name stands for one other, with the operations that carry the renaming through (review details 7.2).
 */
export function withReferenceHelp(
  context: ResolvingTypes,
  before: JsonObject,
  after: JsonObject,
  error: DashError,
): DashError {
  const reported = [error.code, codeOf(error.details['cause'])];
  if (!Object.values(CODES).some(code => reported.includes(code))) return error;
  const lost = lostNames(before, after, context.types).map(name => ({
    ...name,
    uses: usesOf(after, context.types, name),
  }));
  const used = lost.filter(({ uses }) => uses.length > 0);
  if (used.length === 0) return error;
  const suggestedOps = opsThatResolve(context, after, used);
  const also = furtherUses(
    error,
    used.flatMap(({ uses, name }) => uses.map(use => entryOf(use, name))),
  );
  return new DashError(error.code, error.message, {
    ...error.details,
    hint: suggestedOps === undefined ? error.details['hint'] : HINT,
    suggestedOps,
    also: also.length === 0 ? undefined : also,
  });
}

const HINT = 'append suggestedOps to ops';

/** Undefined when the rule does not apply, when they are too many, and when the document does not resolve with them. */
function opsThatResolve(
  context: ResolvingTypes,
  after: JsonObject,
  used: readonly LostName[],
): OperationData[] | undefined {
  if (used.every(({ to }) => to === undefined)) return undefined;
  try {
    const ops = renamingOps(after, context.types, used);
    if (ops.length > MOST_OPS || Buffer.byteLength(JSON.stringify(ops)) > MOST_OPS_BYTES) return undefined;
    context.resolve(applyChangeset('', after, parseChangeset(ops), context.types));
    return ops;
  } catch (error) {
    if (error instanceof DashError) return undefined;
    throw error;
  }
}

interface FurtherUse {
  readonly code: string;
  readonly message: string;
  readonly details: {
    readonly name: string;
    readonly nodeId: string;
    readonly path: string;
    readonly form: string;
  };
}

function entryOf(use: Use, name: string): FurtherUse {
  const path = pathOfUse(use);
  const message = `${use.kind[0]?.toUpperCase()}${use.kind.slice(1)} "${name}" does not exist at ${path}.`;
  return { code: CODES[use.kind], message, details: { name, nodeId: use.nodeId, path, form: use.form } };
}

/** What the error has in `also`, then the uses that it does not report. */
function furtherUses(error: DashError, uses: readonly FurtherUse[]): object[] {
  const reported: unknown[] = Array.isArray(error.details['also']) ? error.details['also'] : [];
  const places = [error, ...reported].map(placeOf);
  return [...reported, ...uses.filter(use => !places.includes(placeOf(use)))].slice(
    0,
    MOST_FURTHER,
  ) as object[];
}

/** Code, node and form: the resolver reports one error of a node in each stage. */
function placeOf(reported: unknown): string {
  const { code, details } = reported as { code?: unknown; details?: Record<string, unknown> };
  const cause = details?.['cause'];
  if (cause !== undefined) return placeOf(cause);
  return [code, details?.['nodeId'] ?? '$variables', code === CODES.variable ? details?.['form'] : ''].join(
    ' ',
  );
}

function codeOf(cause: unknown): unknown {
  return (cause as { code?: unknown } | undefined)?.code;
}
