import type { SurfaceEntry } from '#src/catalog/types.ts';
import { violationsOf } from '#src/catalog/violations.ts';
import { isJsonObject, type JsonObject, ownMember, setMember } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import type { LinkedNode, Resolution, WorkedNode } from './context.ts';
import type { Faults } from './faults.ts';
import { interpolateConfig } from './interpolate.ts';
import { layOutFlow, layOutGrid, layoutConfig } from './layout.ts';
import { valueInvalid, withOverrides } from './overrides.ts';
import type { ResolvedNode } from './tree.ts';
import { declareVariables, type Scope } from './variables.ts';

/**
 * Stage 5: resolves a node and all below it, depth first (dashboard details 10.1). Undefined when the node or something
 * below it has a fault; `faults` then holds it.
 */
export function resolveNode(
  resolution: Resolution,
  linked: LinkedNode,
  inherited: Scope,
  faults: Faults,
): WorkedNode | undefined {
  const scope = faults.attempt(() => {
    requireShape(linked);
    return declareVariables(resolution, linked.node.variables ?? [], linked.path, inherited);
  });
  if (scope === undefined) return undefined;
  const resolved = faults.attempt(() => resolveOwn(resolution, linked, scope));
  const below = linked.children.map(child => resolveNode(resolution, child, scope, faults));
  const children = below.filter(child => child !== undefined);
  if (resolved === undefined || children.length < below.length) return undefined;
  const laidOut = faults.attempt(() => {
    layOut(linked, resolved);
    return true;
  });
  if (laidOut === undefined) return undefined;
  const holds = linked.type.behavior.role === 'wrapper' || linked.node.children !== undefined;
  if (holds) resolved.children = children.map(child => child.resolved);
  return { linked, resolved, scope, children };
}

/** Rules about which members a node has at all: G8, G9, the id echo and G7. */
function requireShape({ node, path, type }: LinkedNode): void {
  const { role, contentField } = type.behavior;
  const at = { path, nodeId: node.id };
  if (node.children !== undefined && role !== 'region') {
    const message = `"${node.id}" is a ${role} and holds no children.`;
    throw new DashError('RESOLVE_CHILDREN_NOT_ALLOWED', message, { ...at, type: type.name });
  }
  const config = node.config ?? {};
  if (role === 'wrapper') requireContent(config, contentField ?? '', at);
  if (role === 'region' && Object.hasOwn(config, 'theme')) {
    const message = `"${node.id}" is a region; only wrappers and the document carry a theme.`;
    throw new DashError('GRAMMAR_REGION_THEME_FORBIDDEN', message, { ...at, type: type.name });
  }
}

function requireContent(config: JsonObject, field: string, at: { path: string; nodeId: string }): void {
  const content = ownMember(config, field);
  if (!isJsonObject(content)) {
    const count = Array.isArray(content) ? content.length : 0;
    const message = `"${at.nodeId}" holds exactly one node in config.${field}.`;
    throw new DashError('WRAPPER_CHILD_COUNT_INVALID', message, { ...at, count });
  }
  const configId = ownMember(config, 'id');
  if (configId === undefined || configId === at.nodeId) return;
  const message = `config.id of "${at.nodeId}" must be the same as its id.`;
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

/** Interpolated, validated, overridden, validated again; a wrapper's without the content. */
function resolveConfig(resolution: Resolution, linked: LinkedNode, scope: Scope): JsonObject {
  const { node, path, type } = linked;
  const authored = node.config ?? {};
  const at = { scope, built: resolution.built, path, nodeId: node.id };
  const config = interpolateConfig(authored, at, type.behavior.contentField);
  if (!isValid(linked, config)) {
    const violations = violationsOf(type.validate);
    const why = violations[0] === undefined ? '' : `: ${violations[0].pointer} ${violations[0].message}`;
    throw configInvalid(linked, `The config of "${node.id}" does not fit ${type.name}${why}.`, {
      violations,
    });
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
  const own = `/${(entry.path ?? [entry.field]).join('/')}`;
  return pointer === own || pointer.startsWith(`${own}/`);
}

/** A wrapper's content stands in its place for the check; its own config is validated on its own turn. */
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

/** Stage 2 has checked the content with all below it; checking that again at every level would not be linear. */
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
    const message = `"${node.id}" (${type.name}) carries no metadata.`;
    throw new DashError('METADATA_NOT_ELIGIBLE', message, { ...at, type: type.name });
  }
  for (const [key, value] of Object.entries(node.metadata)) {
    if (typeof value !== 'object' || value === null) continue;
    throw new DashError('METADATA_VALUE_NOT_SCALAR', `The metadata "${key}" of "${node.id}" is no scalar.`, {
      ...at,
      key,
    });
  }
}

function layOut({ node, path, type, children }: LinkedNode, resolved: ResolvedNode): void {
  const { layout = 'none', role } = type.behavior;
  if (role !== 'region' || layout === 'none') return;
  const config = resolved.config ?? {};
  const own = layoutConfig(config, layout === 'grid' ? 'grid' : 'layout');
  if (layout === 'grid' || ownMember(own, 'mode') === 'grid') {
    const placed = children.map(child => ({
      path: child.path,
      id: child.node.id,
      placement: child.node.placement,
    }));
    resolved.layout = layOutGrid(own, placed);
  } else {
    resolved.flow = layOutFlow(ownMember(own, 'columns') ?? 1, children.length, path, node.id);
  }
}
