import type { SurfaceEntry } from '../catalog/types.ts';
import { violationsOf, whyOf } from '../catalog/violations.ts';
import { display, displayValue } from '../document/display.ts';
import { isJsonObject, type JsonObject, ownMember, setMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { LinkedNode, ResolvedItem } from './context.ts';
import type { ErrorCollector } from './error-collector.ts';
import { interpolateConfig } from './interpolate.ts';
import { layOutFlow, layOutGrid, layoutConfig } from './layout.ts';
import { valueInvalid, withOverrides } from './overrides.ts';
import type { Resolution } from './resolution.ts';
import type { ResolvedNode, Scope } from './tree.ts';
import { declareVariables } from './variables.ts';

/**
 * Stage 5: resolves a node and all below it, depth first (dashboard details 10.1). Undefined when the node or something
 * below it has an error; `errors` then holds it.
 */
export function resolveNode(
  resolution: Resolution,
  linked: LinkedNode,
  inherited: Scope,
  errors: ErrorCollector,
): ResolvedItem | undefined {
  const scope = errors.check(() => {
    requireShape(linked);
    return declareVariables(resolution, linked.node.variables ?? [], linked.path, inherited);
  });
  if (scope === undefined) return undefined;
  const resolved = errors.check(() => resolveOwn(resolution, linked, scope));
  const below = linked.children.map(child => resolveNode(resolution, child, scope, errors));
  const children = below.filter(child => child !== undefined);
  if (resolved === undefined || children.length < below.length) return undefined;
  const laidOut = errors.check(() => {
    layOut(linked, resolved);
    return true;
  });
  if (laidOut === undefined) return undefined;
  const holds = linked.type.behavior.role === 'wrapper' || linked.node.children !== undefined;
  if (holds) resolved.children = children.map(child => child.resolved);
  return { linked, resolved, scope, children };
}

/** Rules about the presence of a node's members: G8, G9, the id echo and G7. */
function requireShape({ node, path, type }: LinkedNode): void {
  const { role, contentField } = type.behavior;
  const at = { path, nodeId: node.id };
  if (node.children !== undefined && role !== 'region') {
    const message = `Children on node "${node.id}" are not allowed: it is a ${role}, and only a region has children.`;
    throw new DashError('RESOLVE_CHILDREN_NOT_ALLOWED', message, { ...at, type: type.name });
  }
  const config = node.config ?? {};
  if (role === 'wrapper') requireContent(config, contentField ?? '', at);
  if (role === 'region' && Object.hasOwn(config, 'theme')) {
    const message = `Theme on node "${node.id}" is not allowed: only wrappers and the document have one.`;
    throw new DashError('GRAMMAR_REGION_THEME_FORBIDDEN', message, { ...at, type: type.name });
  }
}

function requireContent(config: JsonObject, field: string, at: { path: string; nodeId: string }): void {
  const content = ownMember(config, field);
  if (!isJsonObject(content)) {
    const count = Array.isArray(content) ? content.length : 0;
    const message = `Node "${at.nodeId}": config.${field} must be exactly one node; got ${displayValue(content)}.`;
    throw new DashError('WRAPPER_CHILD_COUNT_INVALID', message, { ...at, count });
  }
  const configId = ownMember(config, 'id');
  if (configId === undefined || configId === at.nodeId) return;
  const message = `Node "${at.nodeId}": config.id must be its id; got ${displayValue(configId)}.`;
  throw new DashError('WRAPPER_ID_MISMATCH', message, { ...at, configId });
}

function resolveOwn(resolution: Resolution, linked: LinkedNode, scope: Scope): ResolvedNode {
  const { node, path, type, ref } = linked;
  const config = resolveConfig(resolution, linked, scope);
  requireMetadata(linked);
  const { id, name, version } = type;
  const resolved: ResolvedNode = {
    id: node.id,
    type: { ref, id, name, version },
    role: type.behavior.role,
    container: type.behavior.role === 'region',
  };
  if (node.config !== undefined || Object.keys(config).length > 0) resolved.config = config;
  if (node.placement !== undefined) resolved.placement = node.placement;
  if (node.metadata !== undefined && Object.keys(node.metadata).length > 0) resolved.metadata = node.metadata;
  const declares = node.variables !== undefined && node.variables.length > 0;
  if (declares || (path === 'root' && (resolution.document.variables?.length ?? 0) > 0)) {
    resolved.varEnv = Object.fromEntries(scope);
    resolution.built.add(resolved.varEnv as unknown as JsonObject);
  }
  return resolved;
}

/** Resolves a config: interpolated, validated, overridden, validated again; a wrapper's without its content. */
function resolveConfig(resolution: Resolution, linked: LinkedNode, scope: Scope): JsonObject {
  const { node, path, type } = linked;
  const authored = node.config ?? {};
  const at = { scope, built: resolution.built, path, nodeId: node.id };
  const config = interpolateConfig(authored, at, type.behavior.contentField);
  if (!isValid(linked, config)) {
    const violations = violationsOf(type.validate);
    throw configInvalid(
      linked,
      `Config of node "${node.id}" must be as type "${type.name}" says${whyOf(violations)}.`,
      {
        violations,
      },
    );
  }
  const fields = resolution.overrides.fields.get(node.id);
  if (fields === undefined) return config;
  const target = { node: node.id, path, surface: type.surface };
  const changed = withOverrides(config, fields, target);
  if (isValid(linked, changed)) return changed;
  const violations = violationsOf(type.validate);
  const entries = type.surface.filter(({ field }) => fields.has(field));
  const blamed =
    entries.find(entry => violations.some(({ pointer }) => isBelow(pointer, entry))) ?? entries[0];
  throw valueInvalid(target, blamed as SurfaceEntry, violations);
}

function isBelow(pointer: string, entry: SurfaceEntry): boolean {
  const field = `/${(entry.path ?? [entry.field]).join('/')}`;
  return pointer === field || pointer.startsWith(`${field}/`);
}

/** The check of a wrapper uses the stored content; the content's config is validated when its node is resolved. */
function isValid({ node, type }: LinkedNode, config: JsonObject): boolean {
  const { contentField } = type.behavior;
  if (contentField === undefined) return type.validate(config);
  const whole: JsonObject = { ...config };
  setMember(
    whole,
    contentField,
    withoutDescendants(ownMember(node.config ?? {}, contentField) as JsonObject),
  );
  return type.validate(whole);
}

/** The content without the nodes below it: stage 2 checked them, and checking them at every level would not be linear. */
function withoutDescendants(content: JsonObject): JsonObject {
  return Object.hasOwn(content, 'children') ? { ...content, children: [] } : content;
}

export function configInvalid(
  linked: LinkedNode,
  message: string,
  details: Record<string, unknown>,
): DashError {
  const { node, path, type } = linked;
  return new DashError('RESOLVE_CONFIG_INVALID', message, {
    path,
    nodeId: node.id,
    type: type.name,
    ...details,
  });
}

function requireMetadata({ node, path, type, slot }: LinkedNode): void {
  if (node.metadata === undefined) return;
  const { role, childPolicy } = type.behavior;
  const at = { path, nodeId: node.id };
  if (slot !== 'root' && role !== 'wrapper' && childPolicy !== 'regions-or-wrappers') {
    const message = `Metadata on node "${node.id}" is not allowed: type "${type.name}" has none below the root.`;
    throw new DashError('METADATA_NOT_ELIGIBLE', message, { ...at, type: type.name });
  }
  for (const [key, value] of Object.entries(node.metadata)) {
    if (typeof value !== 'object' || value === null) continue;
    throw new DashError(
      'METADATA_VALUE_NOT_SCALAR',
      `Node "${node.id}": metadata.${display(key)} must be a scalar; got ${displayValue(value)}.`,
      {
        ...at,
        key,
      },
    );
  }
}

function layOut({ node, path, type, children }: LinkedNode, resolved: ResolvedNode): void {
  const { layout = 'none', role } = type.behavior;
  if (role !== 'region' || layout === 'none') return;
  const config = resolved.config ?? {};
  const layoutSettings = layoutConfig(config, layout === 'grid' ? 'grid' : 'layout');
  if (layout === 'grid' || ownMember(layoutSettings, 'mode') === 'grid') {
    const placed = children.map(child => ({
      path: child.path,
      id: child.node.id,
      placement: child.node.placement,
    }));
    resolved.layout = layOutGrid(layoutSettings, placed);
  } else {
    resolved.flow = layOutFlow(ownMember(layoutSettings, 'columns') ?? 1, children.length, path, node.id);
  }
}
