import { defined } from '@msg/foundation/json';
import type { SurfaceEntry } from '../catalog/types.ts';
import { display } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import type { VariableType } from '../document/types.ts';
import { type DashCode, DashError } from '../errors.ts';
import { type InterpolatedText, type ResolvedItem, withDescendants } from './context.ts';
import { ErrorCollector } from './error-collector.ts';
import { layOutFlow } from './layout.ts';
import type { GeneratedForm, GeneratedWidget, ResolvedTree } from './tree.ts';

const SCOPES = ['$manifest', '$theme', '$variables', '$connections', '$root'];
const WIDGETS: Readonly<Record<VariableType, string>> = {
  string: 'text-input',
  number: 'number-field',
  integer: 'number-field',
  boolean: 'toggle',
  enum: 'select',
  array: 'textarea',
  object: 'textarea',
};

/**
 * Stage 10: the generated editors (dashboard details 9.4).
 * @throws DashError CONFIGURATOR_*, RESOLVE_DOCUMENT_INVALID when the editors repeat too much.
 */
export function generateForms(root: ResolvedItem, tree: ResolvedTree, built: InterpolatedText): void {
  const errors = new ErrorCollector();
  const nodes = new Map([...withDescendants(root)].map(item => [item.resolved.id, item]));
  for (const item of nodes.values()) {
    if (item.linked.type.name !== 'configurator') continue;
    errors.check(() => {
      item.resolved.generated = formOf(item, nodes, tree);
      built.add(item.resolved.generated as unknown as JsonObject);
    });
  }
  errors.throwIfAny();
}

function formOf(
  item: ResolvedItem,
  nodes: ReadonlyMap<string, ResolvedItem>,
  tree: ResolvedTree,
): GeneratedForm {
  const target = String(ownMember(item.resolved.config ?? {}, 'target') ?? '');
  const fail = (code: DashCode, message: string) =>
    new DashError(code, message, { path: item.linked.path, nodeId: item.resolved.id, target });
  if (target.trim() === '')
    throw fail('CONFIGURATOR_TARGET_MISSING_ID', `Target of configurator "${item.resolved.id}" is required.`);
  if (target.startsWith('$')) {
    if (!SCOPES.includes(target))
      throw fail(
        'CONFIGURATOR_TARGET_SCOPE_UNKNOWN',
        `Scope "${display(target)}" does not exist; known: ${SCOPES.join(', ')}.`,
      );
    return formFor(target, ...scopeParts(target, tree));
  }
  const node = nodes.get(target);
  if (node === undefined)
    throw fail('CONFIGURATOR_TARGET_NOT_FOUND', `Node "${display(target)}" does not exist.`);
  return formFor(target, node.linked.type.surface, node.resolved.config ?? {});
}

function scopeParts(scope: string, tree: ResolvedTree): [readonly SurfaceEntry[], JsonObject] {
  if (scope === '$manifest') return [tree.scopeSurfaces.$manifest, { ...tree.manifest }];
  if (scope === '$theme') return [tree.scopeSurfaces.$theme, tree.defaultTheme ?? {}];
  return [[], {}];
}

/** One widget per field; for an object only if none of its members is listed. */
function formFor(target: string, surface: readonly SurfaceEntry[], values: JsonObject): GeneratedForm {
  const split = (entry: SurfaceEntry) =>
    entry.type === 'object' && surface.some(({ field }) => field.startsWith(`${entry.field}.`));
  const widgets = surface.filter(entry => !split(entry)).map(entry => widgetFor(target, entry, values));
  return { target, widgets, flow: layOutFlow(1, widgets.length, 'root', target) };
}

function widgetFor(target: string, entry: SurfaceEntry, values: JsonObject): GeneratedWidget {
  const { field, type, label, constraints, rendering } = entry;
  const chosen = type === 'array' && Array.isArray(constraints?.['enum']);
  const json = rendering === undefined && !chosen && (type === 'array' || type === 'object');
  const value = valueAt(values, entry.path ?? [field]);
  return defined({
    widget: rendering ?? (chosen ? 'multiselect' : WIDGETS[type]),
    format: json ? ('json' as const) : undefined,
    target,
    field,
    type,
    label,
    constraints,
    value,
  });
}

function valueAt(values: JsonObject, path: readonly string[]): Json | undefined {
  let at: Json | undefined = values;
  for (const segment of path) at = isJsonObject(at) ? ownMember(at, segment) : undefined;
  return at;
}
