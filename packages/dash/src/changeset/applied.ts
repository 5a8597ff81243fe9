import type { NodeTypes } from '../catalog/node-types.ts';
import { canonicalBytesWithin, firstInexactNumber, jsonEqual } from '../document/canonical.ts';
import { display } from '../document/display.ts';
import type { JsonObject } from '../document/json.ts';
import { MAX_NESTING, nestsDeeper } from '../document/nesting.ts';
import { MAX_DOCUMENT_BYTES } from '../document/size.ts';
import { DashError } from '../errors.ts';
import type { DocumentStore } from '../store/contract.ts';
import { applyChangeset } from './apply.ts';
import type { Operation } from './operation.ts';
import { withReferenceHelp } from './reference-help.ts';

/** Store, types and resolver of a changeset; `resolve` is bound to its catalogue and options. */
export interface ChangesetContext<Tree> {
  readonly store: DocumentStore;
  readonly types: NodeTypes;
  /** @throws DashError when the document does not resolve. */
  resolve(document: JsonObject): Tree;
}

/** A changeset that was applied in memory. */
export interface AppliedChangeset<Tree> {
  readonly tree: Tree;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Undefined when the result equals the stored document as JSON data. */
  readonly bytes: Uint8Array | undefined;
}

/** Steps 4 to 7 of the pipeline, on the document `before` that `text` holds. */
export function applyOperations<Tree>(
  context: ChangesetContext<Tree>,
  id: string,
  { document: before, text }: { readonly document: JsonObject; readonly text: string },
  operations: readonly Operation[],
): AppliedChangeset<Tree> {
  requireNesting(id, before);
  const after = applyChangeset(id, before, operations, context.types);
  requireManifestId(id, after);
  const tree = reResolve(context, before, after);
  return { tree, before, after, bytes: jsonEqual(before, after) ? undefined : serialise(text, after) };
}

/**
 * Checks the nesting before any code walks over the document.
 * @throws DashError RESOLVE_DOCUMENT_INVALID `{source, reason: 'limit'}`.
 */
export function requireNesting(id: string, document: JsonObject): void {
  if (!nestsDeeper(document)) return;
  const message = `Document "${id}" must be nested at most ${MAX_NESTING} levels deep; got more.`;
  throw new DashError('RESOLVE_DOCUMENT_INVALID', message, { source: id, reason: 'limit' });
}

function requireManifestId(id: string, after: JsonObject): void {
  const { manifest } = after as { manifest?: { id?: unknown } };
  if (manifest?.id === id) return;
  const message = `manifest.id must be "${id}" after the changeset.`;
  throw new DashError('PATCH_STRUCTURE_INVALID', message, { reason: 'manifest_id' });
}

/** @throws DashError PATCH_STRUCTURE_INVALID for a number that would change, and for too many bytes. */
function serialise(text: string, after: JsonObject): Uint8Array {
  const inexact = firstInexactNumber(text);
  if (inexact !== undefined) {
    const message = `Every stored number must be one that a double can hold; got ${display(inexact)}.`;
    throw new DashError('PATCH_STRUCTURE_INVALID', message, { reason: 'number' });
  }
  const bytes = canonicalBytesWithin(MAX_DOCUMENT_BYTES, after);
  if (bytes !== undefined) return bytes;
  const message = `The patched document must be at most ${MAX_DOCUMENT_BYTES} bytes; got more.`;
  throw new DashError('PATCH_STRUCTURE_INVALID', message, { reason: 'size' });
}

const STRUCTURAL_FAMILY = /^(?:GRAMMAR|WRAPPER|LAYOUT|METADATA|CONFIGURATOR)_/;

/** Step 6. Violations of shape and reference become structural errors with the resolver's error as cause. */
function reResolve<Tree>(context: ChangesetContext<Tree>, before: JsonObject, after: JsonObject): Tree {
  try {
    return context.resolve(after);
  } catch (error) {
    if (!(error instanceof DashError)) throw internal('RESOLVE_INTERNAL', error);
    throw withReferenceHelp(context, before, after, asStructural(error));
  }
}

function asStructural(error: DashError): DashError {
  if (!STRUCTURAL_FAMILY.test(error.code)) return error;
  return new DashError('PATCH_STRUCTURE_INVALID', error.message, { cause: error.toEnvelope() });
}

/** An internal error, with the original as cause for the log; its message shows nothing of it. */
export function internal(code: 'STORAGE_INTERNAL' | 'RESOLVE_INTERNAL', cause: unknown): DashError {
  const message = 'The service is in an unexpected state; the stored document is unchanged.';
  return new DashError(code, message, {}, cause);
}
