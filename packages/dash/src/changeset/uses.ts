import type { NodeTypes } from '../catalog/node-types.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { formatPointer, type Pointer } from '../document/pointer.ts';
import { idOf, type NodePosition, NodeTree } from './node-tree.ts';
import { namesIn, placesIn } from './references.ts';

/** What is declared once and used elsewhere. */
type DeclaredKind = 'variable' | 'connection' | 'node';

/** A name that is declared in a document; of a node's variable with the node that declares it. */
export interface DeclaredName {
  readonly kind: DeclaredKind;
  readonly name: string;
  readonly within?: string;
}

/** How a use names what it uses. */
type UseForm = '${}' | '$var' | 'expr' | 'widget' | 'binding' | 'target';

/** One place that names a variable, a connection or a node. */
export interface Use {
  readonly kind: DeclaredKind;
  readonly form: UseForm;
  /** The node, or the scope `$variables`. */
  readonly nodeId: string;
  /** Below the node or the scope. */
  readonly rest: Pointer;
  /** Undefined for a use in a scope. */
  readonly position?: NodePosition;
}

/** The id-rooted pointer of a use. */
export function pathOfUse({ nodeId, rest }: Use): string {
  return formatPointer([nodeId, ...rest]);
}

/**
 * Every use of a name in a document, in document order: of a variable, of a connection, of a node. Below a node that
 * declares a variable of that name, the name means that variable and does not count.
 */
export function usesOf(document: JsonObject, types: NodeTypes, { kind, name, within }: DeclaredName): Use[] {
  const tree = new NodeTree(document, types);
  const isOfDocument = kind === 'variable' && within === undefined;
  const uses = isOfDocument ? expressionUses(ownMember(document, 'variables'), name, '$variables') : [];
  const top = within === undefined ? undefined : tree.find(within);
  const shadowed = new Set<NodePosition>();
  for (const position of tree.positions) {
    const id = idOf(position.node);
    const isShadowed =
      (position.parent !== undefined && shadowed.has(position.parent)) || declares(position.node, name);
    if (kind === 'variable' && isShadowed) shadowed.add(position);
    else if (id !== undefined && isBelow(position, top)) uses.push(...usesAt(position, id, name, kind));
  }
  return uses;
}

/** A use as `dash_get_outline` tells it. */
export interface ToldUse {
  readonly nodeId: string;
  readonly path: string;
  readonly form: string;
}

/** Every use of a name as a variable, as a connection and as a node. */
export function allUsesOf(document: JsonObject, types: NodeTypes, name: string): ToldUse[] {
  const kinds = ['variable', 'connection', 'node'] as const;
  const uses = kinds.flatMap(kind => usesOf(document, types, { kind, name }));
  return uses.map(use => ({ nodeId: use.nodeId, path: pathOfUse(use), form: use.form }));
}

/** Whether a node is `top` or below it; true without a top. */
function isBelow(position: NodePosition, top: NodePosition | undefined): boolean {
  if (top === undefined || position === top) return true;
  return position.parent !== undefined && isBelow(position.parent, top);
}

function declares(node: JsonObject, name: string): boolean {
  const variables = ownMember(node, 'variables');
  return (
    Array.isArray(variables) &&
    variables.some(entry => isJsonObject(entry) && ownMember(entry, 'name') === name)
  );
}

function usesAt(position: NodePosition, nodeId: string, name: string, kind: DeclaredKind): Use[] {
  const { node, type } = position;
  const config = ownMember(node, 'config');
  const fields = isJsonObject(config) ? config : {};
  const named = (field: string | undefined, form: UseForm): Use[] =>
    field !== undefined && ownMember(fields, field) === name
      ? [{ kind, form, nodeId, rest: ['config', field], position }]
      : [];
  if (kind === 'connection') return named('connectionId', 'binding');
  if (kind === 'node') return named(type?.targetField, 'target');
  const values = Object.entries(fields).filter(([field]) => field !== type?.contentField);
  const places = values.flatMap(([field, value]) => [...positionsOfUses(value, name, ['config', field])]);
  return [
    ...expressionUses(ownMember(node, 'variables'), name, nodeId, position),
    ...(type?.role === 'widget' ? named('variable', 'widget') : []),
    ...places.map(({ form, rest }) => ({ kind, form, nodeId, rest, position })),
  ];
}

function expressionUses(
  variables: Json | undefined,
  name: string,
  nodeId: string,
  position?: NodePosition,
): Use[] {
  if (!Array.isArray(variables)) return [];
  return variables.flatMap((entry, index) => {
    const expr = isJsonObject(entry) ? ownMember(entry, 'expr') : undefined;
    if (namesIn(expr, name) === 0) return [];
    const rest = [...(position === undefined ? [] : ['variables']), String(index), 'expr'];
    const use = { kind: 'variable' as const, form: 'expr' as const, nodeId, rest };
    return [position === undefined ? use : { ...use, position }];
  });
}

function* positionsOfUses(
  value: Json,
  name: string,
  rest: Pointer,
): Generator<{ readonly form: UseForm; readonly rest: Pointer }> {
  if (typeof value === 'string') {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form's name
    if (placesIn(value, name) > 0) yield { form: '${}', rest };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* positionsOfUses(item, name, [...rest, String(index)]);
  } else if (isJsonObject(value)) {
    const members = Object.entries(value);
    if (members.length === 1 && value['$var'] === name) yield { form: '$var', rest };
    else for (const [member, item] of members) yield* positionsOfUses(item, name, [...rest, member]);
  }
}
