import type { Json } from '../document/json.ts';
import type { OperationName } from './operation.ts';
import type { ResolvedTarget, TargetClass } from './target.ts';

/** The edit of an operation at one of its locations; `take` is a move at its `from`. */
export type Edit = Exclude<OperationName, 'test'> | 'take';

/**
 * The check of an edit: `nodes` by the rules of structure, `surface` by a field of the surface, `data` only by the later
 * resolution. The others refuse the edit, each with its own error.
 */
export type Rule = 'nodes' | 'surface' | 'data' | 'root' | 'content' | 'immutable';

/** Operation by class (dashboard details 11.3 and 11.4). */
const RULES: Readonly<Record<TargetClass, Readonly<Record<Edit, Rule>>>> = {
  'root-node': { ...every('root'), add: 'nodes', replace: 'nodes' },
  'child-node': every('nodes'),
  'content-node': { ...every('nodes'), remove: 'content', take: 'content' },
  'child-list': every('nodes'),
  'child-slot': every('nodes'),
  'content-slot': every('nodes'),
  'config-field': every('surface'),
  'node-data': every('data'),
  'scope-field': every('surface'),
  theme: { ...every('data'), move: 'immutable', copy: 'immutable', take: 'immutable' },
  'scope-data': every('data'),
  immutable: every('immutable'),
};

function every(rule: Rule): Record<Edit, Rule> {
  return { add: rule, remove: rule, replace: rule, move: rule, copy: rule, take: rule };
}

export function ruleOf(target: ResolvedTarget, edit: Edit): Rule {
  return RULES[target.class][edit];
}

/** True for a target of nodes: a whole node, or a slot for nodes. */
export function holdsNodes({ class: targetClass }: ResolvedTarget): boolean {
  return RULES[targetClass].add === 'nodes';
}

/** The nodes of a value at a target: one, a list of children, or none for data. */
export function nodesIn(target: ResolvedTarget, value: Json): readonly Json[] {
  if (!holdsNodes(target)) return [];
  if (target.class !== 'child-list') return [value];
  return Array.isArray(value) ? value : [];
}
