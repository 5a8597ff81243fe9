import type { FilterNode } from '@msg/protocol';
import { errorReply, ReplyError } from '../errors.ts';
import { isDecimal } from './decimal.ts';
import { Substring } from './substring.ts';

type Tags = ReadonlyMap<string, string>;
type Predicate = (tags: Tags) => boolean;

/** Bounds of a client's filter (client protocol 13). */
const MAX_DEPTH = 8;
const MAX_NODES = 64;

/** A checked filter on publication tags. Two filters with equal `key` match the same publications. */
export interface TagsFilter {
  readonly key: string;
  matches(tags: Tags): boolean;
}

/** Checks and compiles a client's filter. Throws {@link ReplyError} 107 naming what is wrong. */
export function compileFilter(node: FilterNode): TagsFilter {
  const budget = { nodes: MAX_NODES };
  return { key: JSON.stringify(node), matches: compile(node, 1, budget) };
}

function invalid(problem: string): never {
  throw errorReply.badRequest(`tags filter: ${problem}`);
}

function compile(node: FilterNode, depth: number, budget: { nodes: number }): Predicate {
  if (depth > MAX_DEPTH) invalid(`deeper than ${MAX_DEPTH}`);
  if (budget.nodes-- === 0) invalid(`more than ${MAX_NODES} nodes`);
  if (node.op === '') return compileLeaf(node);
  const children = node.nodes.map(child => compile(child, depth + 1, budget));
  const [first] = children;
  if (first === undefined) invalid(`${node.op} without nodes`);
  switch (node.op) {
    case 'and':
      return tags => children.every(matches => matches(tags));
    case 'or':
      return tags => children.some(matches => matches(tags));
    case 'not':
      if (children.length !== 1) invalid('not takes exactly one node');
      return tags => !first(tags);
    default:
      return invalid(`unknown op ${JSON.stringify(node.op)}`);
  }
}

function compileLeaf(node: FilterNode): Predicate {
  const { key, cmp, val } = node;
  checkOperands(node);
  switch (cmp) {
    case 'eq':
      return tags => tags.get(key) === val;
    case 'neq':
      return tags => tags.get(key) !== val;
    case 'in':
    case 'nin':
      return compileMembership(node);
    case 'ex':
      return tags => tags.has(key);
    case 'nex':
      return tags => !tags.has(key);
    case 'sw':
      return tags => tags.get(key)?.startsWith(val) ?? false;
    case 'ew':
      return tags => tags.get(key)?.endsWith(val) ?? false;
    case 'ct':
      return compileContains(node);
    default:
      return compileNumeric(node);
  }
}

/** Checks the members that a comparison needs; the others must be empty. */
function checkOperands({ key, cmp, val, vals }: FilterNode): void {
  const list = cmp === 'in' || cmp === 'nin';
  const none = cmp === 'ex' || cmp === 'nex';
  if (key === '' && !none) invalid(`${cmp || 'a comparison'} needs a key`);
  if (list ? vals.length === 0 || val !== '' : vals.length > 0) invalid(`${cmp} with the wrong values`);
  if (!list && none !== (val === '')) invalid(`${cmp} with the wrong value`);
}

/** A set: a lookup costs the same in a list of thousands of values. */
function compileMembership({ key, cmp, vals }: FilterNode): Predicate {
  const listed = new Set(vals);
  const wanted = cmp === 'in';
  return tags => listed.has(tags.get(key) ?? '') === wanted;
}

function compileContains({ key, val }: FilterNode): Predicate {
  const part = new Substring(val);
  return tags => {
    const value = tags.get(key);
    return value !== undefined && part.isIn(value);
  };
}

const NUMERIC: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  gt: (value, bound) => value > bound,
  gte: (value, bound) => value >= bound,
  lt: (value, bound) => value < bound,
  lte: (value, bound) => value <= bound,
};

function compileNumeric({ key, cmp, val }: FilterNode): Predicate {
  const holds = NUMERIC[cmp];
  if (holds === undefined) return invalid(`unknown cmp ${JSON.stringify(cmp)}`);
  const bound = decimal(val);
  return tags => {
    const value = decimal(tags.get(key) ?? '');
    return bound !== null && value !== null && holds(value, bound);
  };
}

function decimal(text: string): number | null {
  return isDecimal(text) ? Number(text) : null;
}
