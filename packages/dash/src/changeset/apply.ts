import {
  cloneJson,
  isJsonObject,
  type Json,
  type JsonObject,
  ownMember,
  setMember,
} from '#src/document/json.ts';
import { nearest } from '#src/document/nearest.ts';
import { type Pointer, valueAt } from '#src/document/pointer.ts';
import { DashError } from '#src/errors.ts';
import { Copies } from './copies.ts';
import { type GuardedEnd, guardPlace, guardValue, structureInvalid } from './guard.ts';
import { type ApplyFault, addAt, applyFailed, type Draft, removeAt, replaceAt, testAt } from './literal.ts';
import { insertedIds, requireUnique } from './node-ids.ts';
import { isWithin, NodeTree, type Place } from './node-tree.ts';
import type { NodeTypes } from './node-types.ts';
import { hasSource, type Operation } from './operation.ts';
import { classify, findTarget, isStructural, literalPointer, SCOPE_MEMBERS, type Target } from './target.ts';

/**
 * Applies a changeset to a copy of `document`, whole or not at all, each operation against the document as the ones
 * before it left it (dashboard details 11.2 to 11.4).
 *
 * @param id The document's id, for errors.
 * @throws DashError CHANGESET_TARGET_NOT_FOUND or PATCH_*.
 */
export function applyChangeset(
  id: string,
  document: JsonObject,
  operations: readonly Operation[],
  types: NodeTypes,
): JsonObject {
  const application = new Application(id, document, types);
  for (const [index, operation] of operations.entries()) application.apply(index, operation);
  return application.result();
}

/** One changeset in progress: the draft, and the tree of its present state. */
class Application {
  private readonly id: string;
  private readonly types: NodeTypes;
  private readonly draft: Draft;
  private readonly copies = new Copies();
  private current: NodeTree | undefined;

  constructor(id: string, document: JsonObject, types: NodeTypes) {
    this.id = id;
    this.types = types;
    this.draft = { document: cloneJson(document) };
  }

  result(): JsonObject {
    return this.draft.document as JsonObject;
  }

  apply(index: number, operation: Operation): void {
    const end: GuardedEnd = { index, operation, pointer: operation.pointer, effect: effectOf(operation) };
    const target = this.target(end, operation.path);
    if (operation.op === 'test') this.test(target, end);
    else if (hasSource(operation)) this.carry(operation.from, operation.source, target, end);
    else this.edit(target, end);
  }

  private edit(target: Target, end: GuardedEnd): void {
    guardPlace(this.tree(), this.types, target, end);
    if (end.operation.op === 'remove') this.remove(target, end);
    else this.put(target, cloneJson(end.operation.value as Json), end);
  }

  private test(target: Target, end: GuardedEnd): void {
    const at = literalPointer(target);
    const fault = testAt(this.draft, at, end.operation.value as Json);
    if (fault !== undefined)
      throw applyFailed(end.index, end.operation, fault, valueAt(this.draft.document, at));
  }

  private remove(target: Target, end: GuardedEnd): void {
    succeed(removeAt(this.draft, literalPointer(target)), end);
    this.forget(target);
  }

  /** The add half of every operation that writes a value. */
  private put(target: Target, value: Json, end: GuardedEnd): void {
    guardValue(this.types, target, value, end);
    const ids = isStructural(target) ? insertedIds(this.types, target, value, end) : [];
    const at = literalPointer(target);
    if (end.operation.op === 'replace' && !this.isMissingRoot(target)) {
      succeed(replaceAt(this.draft, at, value), end);
    } else {
      createParents(this.draft.document, target);
      succeed(addAt(this.draft, at, value), end);
    }
    this.forget(target);
    if (ids.length > 0) requireUnique(this.tree(), ids, end);
  }

  private carry(from: Pointer, pointer: string, target: Target, end: GuardedEnd): void {
    const { op } = end.operation;
    const sourceEnd: GuardedEnd = { ...end, pointer, effect: op === 'move' ? 'remove' : 'read' };
    const source = this.target(sourceEnd, from);
    guardPlace(this.tree(), this.types, source, sourceEnd);
    guardPlace(this.tree(), this.types, target, end);
    if (isStructural(source) !== isStructural(target)) {
      throw structureInvalid(end, 'A node moves to a place of nodes, data to a place of data.', {
        reason: 'mixed_endpoints',
      });
    }
    const value = valueAt(this.draft.document, literalPointer(source));
    if (value === undefined) throw failed(missingAt(this.draft.document, literalPointer(source)), sourceEnd);
    if (op === 'copy') this.put(target, this.copies.take(value, end.index, end.pointer), end);
    else this.move(source, target, value, end, sourceEnd);
  }

  /** Remove, then add: the target is found again in the document without the source, as RFC 6902 has it. */
  private move(source: Target, target: Target, value: Json, end: GuardedEnd, sourceEnd: GuardedEnd): void {
    if (samePlace(source, target)) return;
    if (liesWithin(target, source)) throw failed('descendant', end);
    this.remove(source, sourceEnd);
    const found = this.target(end, end.operation.path);
    guardPlace(this.tree(), this.types, found, end);
    if (isStructural(source) && parentOf(source)?.node !== parentOf(found)?.node) dropPlacements(value);
    this.put(found, value, end);
  }

  private target(end: GuardedEnd, path: Pointer): Target {
    const found = findTarget(this.tree(), path);
    if (found !== undefined) return found;
    const [nodeId = ''] = path;
    const scopes = [...Object.keys(SCOPE_MEMBERS), '$root'];
    const known = nearest(nodeId, nodeId.startsWith('$') ? scopes : this.tree().ids());
    const message = `Operation ${end.index} addresses ${JSON.stringify(nodeId.slice(0, 128))}, which is not in the document.`;
    const details = { id: this.id, nodeId, index: end.index, pointer: end.pointer, known };
    throw new DashError('CHANGESET_TARGET_NOT_FOUND', message, details);
  }

  private tree(): NodeTree {
    this.current ??= new NodeTree(this.draft.document, this.types);
    return this.current;
  }

  /** Edits of data leave the tree as it is; edits of structure make a new one necessary. */
  private forget(target: Target): void {
    if (isStructural(target)) this.current = undefined;
  }

  private isMissingRoot(target: Target): boolean {
    if (target.kind !== 'node' || target.place.slot !== 'root' || target.rest.length > 0) return false;
    return valueAt(this.draft.document, ['root']) === undefined;
  }
}

function effectOf({ op }: Operation): GuardedEnd['effect'] {
  if (op === 'test') return 'read';
  return op === 'remove' ? 'remove' : 'put';
}

function succeed(fault: ApplyFault | undefined, end: GuardedEnd): void {
  if (fault !== undefined) throw failed(fault, end);
}

function failed(fault: ApplyFault, end: GuardedEnd): DashError {
  return applyFailed(end.index, { ...end.operation, pointer: end.pointer }, fault);
}

function missingAt(document: Json, path: Pointer): ApplyFault {
  const parent = valueAt(document, path.slice(0, -1));
  if (Array.isArray(parent)) return 'index';
  return isJsonObject(parent) ? 'missing' : 'parent';
}

function samePlace(source: Target, target: Target): boolean {
  return literalPointer(source).join('\0') === literalPointer(target).join('\0');
}

function liesWithin(target: Target, source: Target): boolean {
  if (target.kind === 'node' && source.kind === 'node' && source.rest.length === 0) {
    return isWithin(target.place, source.place);
  }
  const [inner, outer] = [literalPointer(target), literalPointer(source)];
  return inner.length > outer.length && outer.every((segment, index) => segment === inner[index]);
}

/** The node that holds what a structural target addresses. */
function parentOf(target: Target): Place | undefined {
  if (target.kind !== 'node') return undefined;
  return target.rest.length === 0 ? target.place.parent : target.place;
}

/** Of a node, or of each in a whole `children` array: a placement is in the grid of the parent that was left. */
function dropPlacements(moved: Json): void {
  for (const node of Array.isArray(moved) ? moved : [moved]) {
    if (isJsonObject(node)) delete node['placement'];
  }
}

/**
 * Creates the absent parents of an add whose target is legal, so that every surface key is the tail of a valid path
 * (dashboard details 11.3, implicit parents).
 */
function createParents(document: Json, target: Target): void {
  if (target.kind === 'scope') {
    if (target.rest.length === 0 || !isJsonObject(document)) return;
    const list = target.scope === '$variables' || target.scope === '$connections';
    ensure(document, SCOPE_MEMBERS[target.scope], list ? [] : {}, target.rest.length === 1);
    return;
  }
  const { place, rest } = target;
  const [member = ''] = rest;
  const found = classify(target);
  if (found === 'config-field' || found === 'content-slot') {
    let holder: Json | undefined = place.node;
    for (const segment of rest.slice(0, -1))
      holder = isJsonObject(holder) ? ensure(holder, segment, {}) : undefined;
  } else if (member === 'children') {
    ensure(place.node, member, [], rest.length === 2 && place.type?.role === 'region');
  } else if (found === 'node-data') {
    ensure(place.node, member, member === 'variables' ? [] : {}, rest.length === 2);
  }
}

function ensure(holder: JsonObject, member: string, empty: Json, wanted = true): Json | undefined {
  if (wanted && ownMember(holder, member) === undefined) setMember(holder, member, empty);
  return ownMember(holder, member);
}
