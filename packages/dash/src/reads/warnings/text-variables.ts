import type { NodeTree } from '../../changeset/node-tree.ts';
import { isJsonObject, type Json, ownMember } from '../../document/json.ts';
import type { ResolvedNode, ResolvedTree, VisibleVariable } from '../../resolve/tree.ts';

/** Types of connections whose query holds an expression, with what of the query it is. */
const EXPRESSIONS: Readonly<Record<string, (query: Json) => Json[]>> = {
  prometheus: query => [
    memberOf(query, 'expr'),
    ...listOf(memberOf(query, 'queries')).map(each => memberOf(each, 'expr')),
  ],
};
/** Types whose values cannot hold a part of an expression. */
const SAFE: ReadonlySet<string> = new Set(['enum', 'number', 'integer', 'boolean']);
const NAME = /(?<!\$)\$\{([^${}]*)\}/g;

/** A variable that becomes text of an expression. */
export interface TextVariable {
  readonly nodeId: string;
  readonly variable: string;
  readonly type: string;
}

type Variables = Readonly<Record<string, VisibleVariable>>;

/** Variables of any text in expressions: who sets one can rewrite what is asked (page and review 5.3). */
export function textVariables({ root, connections = [] }: ResolvedTree, nodes: NodeTree): TextVariable[] {
  const typeOf = new Map(connections.map(({ id, type }) => [id, type.name]));
  return variablesBelow(root, root.varEnv ?? {}, (node, variables) => {
    const expressionsOf = EXPRESSIONS[typeOf.get(node.binding?.connectionId ?? '') ?? ''];
    const config = nodes.find(node.id)?.node['config'];
    const query = memberOf(config ?? null, 'query');
    const names = expressionsOf === undefined ? [] : expressionsOf(query).flatMap(namesIn);
    return [...new Set(names)].flatMap(name => {
      const type = Object.hasOwn(variables, name) ? variables[name]?.type : undefined;
      return type === undefined || SAFE.has(type) ? [] : [{ nodeId: node.id, variable: name, type }];
    });
  });
}

function variablesBelow(
  node: ResolvedNode,
  around: Variables,
  look: (node: ResolvedNode, variables: Variables) => TextVariable[],
): TextVariable[] {
  const variables = node.varEnv ?? around;
  return [
    ...look(node, variables),
    ...(node.children ?? []).flatMap(child => variablesBelow(child, variables, look)),
  ];
}

/** Names of variables in a stored expression: in its text, or the whole of it. */
function namesIn(expression: Json): string[] {
  if (typeof expression === 'string')
    return [...expression.matchAll(NAME)].map(([, name = '']) => name.trim());
  const name = memberOf(expression, '$var');
  return typeof name === 'string' ? [name] : [];
}

function memberOf(value: Json, name: string): Json {
  return isJsonObject(value) ? (ownMember(value, name) ?? null) : null;
}

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);
