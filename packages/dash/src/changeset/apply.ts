import { nearest } from '@msg/foundation/suggest';
import type { NodeTypes } from '../catalog/node-types.ts';
import { didYouMean, display } from '../document/display.ts';
import {
  cloneJson,
  isJsonObject,
  type Json,
  type JsonObject,
  ownMember,
  setMember,
} from '../document/json.ts';
import { formatPointer, isBelow, type Pointer, valueAt } from '../document/pointer.ts';
import { DashError } from '../errors.ts';
import { CopyBudget } from './copy-budget.ts';
import { guardTarget, guardValue, type OperationLocation, structureInvalid } from './guard.ts';
import { type ApplyError, addAt, applyFailed, type Draft, removeAt, replaceAt, testAt } from './literal.ts';
import { insertedIds, requireUnique } from './node-ids.ts';
import { NodeTree } from './node-tree.ts';
import { hasSource, type Operation } from './operation.ts';
import { type PathHelp, pathHelp, scopePath } from './path-help.ts';
import { holdsNodes, nodesIn } from './rules.ts';
import { type ResolvedTarget, resolveTarget, SCOPE_MEMBERS } from './target.ts';

/**
 * Applies a changeset to a copy of `document`, whole or not at all. Each operation applies to the result of the previous
 * ones (dashboard details 11.2 to 11.4).
 * @param id The document's id, for errors.
 * @throws DashError CHANGESET_TARGET_NOT_FOUND or PATCH_*.
 */
export function applyChangeset(
  id: string,
  document: JsonObject,
  operations: readonly Operation[],
  types: NodeTypes,
): JsonObject {
  const applier = new ChangesetApplier(id, document, types);
  for (const [index, operation] of operations.entries()) applier.apply(index, operation);
  return applier.result();
}

/** One changeset in progress: the draft, and the tree of its current state. */
class ChangesetApplier {
  readonly #id: string;
  readonly #types: NodeTypes;
  readonly #draft: Draft;
  readonly #copyBudget = new CopyBudget();
  readonly #tree: NodeTree;

  constructor(id: string, document: JsonObject, types: NodeTypes) {
    this.#id = id;
    this.#types = types;
    this.#draft = { document: cloneJson(document) };
    this.#tree = new NodeTree(this.#draft.document, types);
  }

  result(): JsonObject {
    return this.#draft.document as JsonObject;
  }

  apply(index: number, operation: Operation): void {
    const { op, path, pointer } = operation;
    const location: OperationLocation = { index, operation, pointer, edit: op === 'test' ? 'read' : op };
    const target = this.#target(location, path);
    if (hasSource(operation)) {
      this.#carry(operation, target, location);
      return;
    }
    guardTarget(this.#tree, target, location);
    if (op === 'test') this.#test(target, location);
    else if (op === 'remove') this.#remove(target, location);
    else this.#put(target, cloneJson(operation.value as Json), location);
  }

  #test(target: ResolvedTarget, location: OperationLocation): void {
    const { pointer } = target;
    const { index, operation } = location;
    const error = testAt(this.#draft, pointer, operation.value as Json);
    if (error !== undefined) {
      const help = this.#help(error, target, location);
      throw applyFailed(index, operation, error, valueAt(this.#draft.document, pointer), help);
    }
  }

  #remove(target: ResolvedTarget, location: OperationLocation): void {
    const nodes = this.#nodesAt(target);
    this.#requireApplied(removeAt(this.#draft, target.pointer), target, location);
    for (const node of nodes) this.#tree.remove(node);
  }

  /** The add half of every operation that writes a value. */
  #put(target: ResolvedTarget, value: Json, location: OperationLocation): void {
    guardValue(target, value, location);
    const ids = holdsNodes(target) ? insertedIds(this.#types, target, value, location) : [];
    const replaces = location.operation.op === 'replace' && !this.#isMissingRoot(target);
    // An add at a child inserts the value before it; at any other target it replaces the value.
    const replaced = replaces || target.class !== 'child-node' ? this.#nodesAt(target) : [];
    if (!replaces) createParents(this.#draft.document, target);
    this.#requireApplied(
      (replaces ? replaceAt : addAt)(this.#draft, target.pointer, value),
      target,
      location,
    );
    for (const node of replaced) this.#tree.remove(node);
    for (const node of nodesIn(target, value)) this.#tree.add(node, target.parent, target.slot);
    if (ids.length > 0) requireUnique(this.#tree, ids, location);
  }

  /** The current nodes of a target. */
  #nodesAt(target: ResolvedTarget): readonly Json[] {
    const value = holdsNodes(target) ? valueAt(this.#draft.document, target.pointer) : undefined;
    return value === undefined ? [] : nodesIn(target, value);
  }

  /** Copy and move. */
  #carry(
    { op, from, source: pointer }: Operation & { from: Pointer; source: string },
    target: ResolvedTarget,
    location: OperationLocation,
  ): void {
    const sourceLocation: OperationLocation = { ...location, pointer, edit: op === 'move' ? 'take' : 'read' };
    const source = this.#target(sourceLocation, from);
    guardTarget(this.#tree, source, sourceLocation);
    guardTarget(this.#tree, target, location);
    if (holdsNodes(source) !== holdsNodes(target)) {
      throw structureInvalid(
        location,
        `${op} between nodes and data is not allowed: both ends must be nodes, or both data.`,
        {
          reason: 'mixed_endpoints',
        },
      );
    }
    const value = valueAt(this.#draft.document, source.pointer);
    if (value === undefined) {
      throw this.#failed(missingAt(this.#draft.document, source.pointer), source, sourceLocation);
    }
    if (op === 'move') this.#move(source, target, value, location, sourceLocation);
    else this.#put(target, this.#copyBudget.copy(value, location.index, location.pointer), location);
  }

  /** Remove, then add: the target is resolved in the document without the source (RFC 6902). */
  #move(
    source: ResolvedTarget,
    target: ResolvedTarget,
    value: Json,
    location: OperationLocation,
    sourceLocation: OperationLocation,
  ): void {
    if (formatPointer(source.pointer) === formatPointer(target.pointer)) return;
    if (isBelow(target.pointer, source.pointer)) throw this.#failed('descendant', target, location);
    this.#remove(source, sourceLocation);
    const destination = this.#target(location, location.operation.path);
    guardTarget(this.#tree, destination, location);
    if (holdsNodes(source) && source.parent?.node !== destination.parent?.node) dropPlacements(value);
    this.#put(destination, value, location);
  }

  #target(location: OperationLocation, path: Pointer): ResolvedTarget {
    const target = resolveTarget(this.#tree, this.#types, path);
    if (target !== undefined) return target;
    const [nodeId = ''] = path;
    const scopes = [...Object.keys(SCOPE_MEMBERS), '$root'];
    const suggestions = nearest(nodeId, nodeId.startsWith('$') ? scopes : [...scopes, ...this.#tree.ids()]);
    const message = `Operation ${location.index}: node or scope "${display(nodeId)}" does not exist${didYouMean(suggestions)}`;
    const details = {
      id: this.#id,
      nodeId,
      index: location.index,
      pointer: location.pointer,
      suggestedPath: scopePath(location.pointer),
      known: suggestions,
    };
    throw new DashError('CHANGESET_TARGET_NOT_FOUND', message, details);
  }

  #requireApplied(error: ApplyError | undefined, target: ResolvedTarget, location: OperationLocation): void {
    if (error !== undefined) throw this.#failed(error, target, location);
  }

  #failed(error: ApplyError, target: ResolvedTarget, location: OperationLocation): DashError {
    const { index, operation, pointer } = location;
    return applyFailed(
      index,
      { ...operation, pointer },
      error,
      undefined,
      this.#help(error, target, location),
    );
  }

  #help(error: ApplyError, target: ResolvedTarget, location: OperationLocation): PathHelp {
    return pathHelp(this.#draft.document, this.#tree, target, location, error);
  }

  #isMissingRoot(target: ResolvedTarget): boolean {
    return target.class === 'root-node' && valueAt(this.#draft.document, target.pointer) === undefined;
  }
}

function missingAt(document: Json, path: Pointer): ApplyError {
  const parent = valueAt(document, path.slice(0, -1));
  if (Array.isArray(parent)) return 'index';
  return isJsonObject(parent) ? 'missing' : 'parent';
}

/** Removes the placements of a node, or of each in a `children` array: they belong to the grid of the former parent. */
function dropPlacements(moved: Json): void {
  for (const node of Array.isArray(moved) ? moved : [moved]) {
    if (isJsonObject(node)) delete node['placement'];
  }
}

/**
 * Creates the absent parents of a legal add, so that every surface key is the tail of a valid path (dashboard details
 * 11.3, implicit parents).
 */
function createParents(
  document: Json,
  { class: targetClass, pointer, rest, position }: ResolvedTarget,
): void {
  const [member = ''] = position === undefined ? pointer : rest;
  if (targetClass === 'config-field' || targetClass === 'content-slot') {
    let parent: Json | undefined = position?.node;
    for (const segment of rest.slice(0, -1))
      parent = isJsonObject(parent) ? ensure(parent, segment, {}) : undefined;
  } else if (targetClass === 'child-slot' && position?.type?.role === 'region') {
    ensure(position.node, member, []);
  } else if (targetClass === 'node-data' && position !== undefined && rest.length === 2) {
    ensure(position.node, member, member === 'variables' ? [] : {});
  } else if (position === undefined && isJsonObject(document) && rest.length === 1) {
    ensure(document, member, targetClass === 'scope-data' ? [] : {});
  }
}

function ensure(parent: JsonObject, member: string, empty: Json): Json | undefined {
  if (ownMember(parent, member) === undefined) setMember(parent, member, empty);
  return ownMember(parent, member);
}
