import { mismatch, type Surface } from '../catalog/node-types.ts';
import { jsonEqual } from '../document/canonical.ts';
import {
  cloneJson,
  isJsonObject,
  type Json,
  type JsonObject,
  ownMember,
  setMember,
} from '../document/json.ts';
import { childrenOf, contentOf, idOf, type NodePosition, type NodeTree } from './node-tree.ts';
import { nodePointer, type OperationData, writeOperation } from './undo-operation.ts';

/** Members of a node that a changeset writes whole. */
const DATA_MEMBERS = ['placement', 'metadata', 'variables'] as const;

/**
 * Operations that give each node of `target` its own fields, in a document that has the nodes in their places already. A
 * node that differs outside its surface is replaced with everything below it.
 */
export function fieldOperations(current: NodeTree, target: NodeTree): OperationData[] {
  const ops: OperationData[] = [];
  const replaced = new Set<NodePosition>();
  for (const position of target.positions) {
    if (position.parent !== undefined && replaced.has(position.parent)) {
      replaced.add(position);
      continue;
    }
    const id = idOf(position.node) ?? '';
    const now = current.find(id);
    const written = now === undefined ? undefined : ownOperations(id, now, position);
    if (written !== undefined) ops.push(...written);
    else {
      ops.push({ op: 'replace', path: pathOf(position, id), value: cloneJson(position.node) });
      replaced.add(position);
    }
  }
  return ops;
}

function pathOf(position: NodePosition, id: string): string {
  return position.slot === 'root' ? '/$root' : nodePointer(id);
}

/** Undefined when surface and data members do not lead from one state to the other. */
function ownOperations(id: string, now: NodePosition, then: NodePosition): OperationData[] | undefined {
  const result = cloneJson(ownFields(now));
  const wanted = ownFields(then);
  const data = DATA_MEMBERS.flatMap(member => {
    const value = ownMember(wanted, member);
    const ops = writeOperation(nodePointer(id, member), ownMember(result, member), value);
    assign(result, member, value);
    return ops;
  });
  const config = configOperations(id, result, wanted, now.type?.surface ?? new Map());
  return config !== undefined && jsonEqual(result, wanted) ? [...data, ...config] : undefined;
}

/** Surface fields, a field before those inside it; `result` follows. Undefined where a value does not fit its field. */
function configOperations(
  id: string,
  result: JsonObject,
  wanted: JsonObject,
  surface: Surface,
): OperationData[] | undefined {
  const ops: OperationData[] = [];
  for (const [key, field] of [...surface].toSorted(([a], [b]) => a.length - b.length)) {
    const path = ['config', ...key.split('.')];
    const [from, to] = [memberAt(result, path), memberAt(wanted, path)];
    const written = writeOperation(nodePointer(id, ...path), from, to);
    if (written.length > 0 && to !== undefined && mismatch(field, to, jsonEqual) !== undefined)
      return undefined;
    if (written.length > 0) setAt(result, path, to);
    ops.push(...written);
  }
  return ops;
}

/** A node without its children and its content, which have operations of their own. */
function ownFields(position: NodePosition): JsonObject {
  const fields: JsonObject = { ...position.node };
  if (childrenOf(position.node).length > 0) fields['children'] = [];
  const content = contentOf(position);
  const config = ownMember(fields, 'config');
  if (isJsonObject(content) && isJsonObject(config) && position.type?.contentField !== undefined) {
    fields['config'] = { ...config, [position.type.contentField]: {} };
  }
  return fields;
}

function memberAt(value: JsonObject, path: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const segment of path) at = isJsonObject(at) ? ownMember(at, segment) : undefined;
  return at;
}

function setAt(value: JsonObject, path: readonly string[], to: Json | undefined): void {
  let at = value;
  for (const segment of path.slice(0, -1)) {
    const member = ownMember(at, segment);
    if (!isJsonObject(member)) setMember(at, segment, {});
    at = ownMember(at, segment) as JsonObject;
  }
  assign(at, path.at(-1) ?? '', to);
}

function assign(object: JsonObject, member: string, value: Json | undefined): void {
  if (value === undefined) delete object[member];
  else setMember(object, member, cloneJson(value));
}
