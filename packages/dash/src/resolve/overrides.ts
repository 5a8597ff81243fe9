import { nearest } from '@msg/foundation/suggest';
import { mismatch } from '../catalog/node-types.ts';
import { surfaceField } from '../catalog/surface.ts';
import type { Catalog, SurfaceEntry } from '../catalog/types.ts';
import { jsonEqual } from '../document/canonical.ts';
import { didYouMean, display } from '../document/display.ts';
import {
  cloneJson,
  isFiniteJson,
  isJsonObject,
  type Json,
  type JsonObject,
  ownMember,
  setMember,
} from '../document/json.ts';
import { MAX_NESTING, nestsDeeper } from '../document/nesting.ts';
import type { VariableType } from '../document/types.ts';
import { DashError } from '../errors.ts';
import { documentInvalid, type LinkedNode, withDescendants } from './context.ts';

/** One runtime override: a typed JSON value, or text that is parsed to the type of its target (dashboard details 9.3). */
export type Override =
  | { readonly address: string; readonly value: Json }
  | { readonly address: string; readonly text: string };

/** All overrides of one address, in order. */
export type OverrideValue = readonly Override[];

/** Overrides by their addresses. */
export interface OverridePlan {
  readonly variables: ReadonlyMap<string, OverrideValue>;
  /** By node id or scope, then by field; both in address order. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, OverrideValue>>;
}

const NUMERAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const TRUTH: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** Stage 0. @throws DashError VAR_OVERRIDE_INVALID `{address}` for an address with an empty part. */
export function planOverrides(overrides: readonly Override[]): OverridePlan {
  const variables = new Map<string, Override[]>();
  const fields = new Map<string, Map<string, Override[]>>();
  for (const override of overrides.toSorted((a, b) => compare(a.address, b.address))) {
    const { address } = override;
    const dot = address.indexOf('.');
    if (address === '' || dot === 0 || dot === address.length - 1) throw overrideInvalid(address);
    if (dot < 0) append(variables, address, override);
    else {
      const node = address.slice(0, dot);
      const nodeFields = fields.get(node) ?? new Map<string, Override[]>();
      fields.set(node, nodeFields);
      append(nodeFields, address.slice(dot + 1), override);
    }
  }
  return { variables, fields };
}

/** Fields of a node that say what is asked. */
const ASKING = /^(?:query|connectionId)(?:\.|$)/;

/** Nodes whose query or connection these overrides set. */
export function overriddenQueries(overrides: readonly Override[]): Set<string> {
  const asking = overrides
    .map(({ address }) => [address, address.indexOf('.')] as const)
    .filter(([address, dot]) => dot > 0 && ASKING.test(address.slice(dot + 1)));
  return new Set(asking.map(([address, dot]) => address.slice(0, dot)));
}

function append(map: Map<string, Override[]>, key: string, override: Override): void {
  const overrides = map.get(key);
  if (overrides === undefined) map.set(key, [override]);
  else overrides.push(override);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function overrideInvalid(address: string): DashError {
  const message = `Override address "${display(address)}" must be the name of a settable variable or <node id>.<field>.`;
  return new DashError('VAR_OVERRIDE_INVALID', message, { address });
}

/** Stage 3. @throws DashError CONFIG_OVERRIDE_FIELD_UNKNOWN for an unknown node or key */
export function requireKnownFields(plan: OverridePlan, root: LinkedNode, catalog: Catalog): void {
  if (plan.fields.size === 0) return;
  const nodes = new Map([...withDescendants(root)].map(linked => [linked.node.id, linked]));
  for (const [node, fields] of plan.fields) {
    const linked = nodes.get(node);
    const surface = linked?.type.surface ?? scopeSurface(catalog, node);
    for (const field of fields.keys()) {
      if (surface?.some(entry => entry.field === field)) continue;
      const suggestions = nearest(
        field,
        (surface ?? []).map(entry => entry.field),
      );
      const place = linked === undefined ? {} : { path: linked.path, type: linked.type.name };
      const message = `Field "${display(field)}" of "${display(node)}" does not exist on its surface${didYouMean(suggestions)}`;
      throw new DashError('CONFIG_OVERRIDE_FIELD_UNKNOWN', message, {
        node,
        field,
        ...place,
        known: suggestions,
      });
    }
  }
}

function scopeSurface(catalog: Catalog, scope: string): readonly SurfaceEntry[] | undefined {
  return scope === '$manifest' || scope === '$theme' ? catalog.scopeSurfaces[scope] : undefined;
}

/**
 * The value that overrides give for a target of this type; undefined when a text does not parse to it, or when a number
 * in it is infinite.
 * @throws DashError RESOLVE_DOCUMENT_INVALID `{source, reason: "limit"}` when it nests too deep; `source` is the address.
 */
export function overrideValue(overrides: OverrideValue, type: VariableType): Json | undefined {
  const value = readValue(overrides, type);
  if (nestsDeeper(value)) {
    const source = overrides[0]?.address ?? '';
    const message = `The override of "${display(source)}" must be nested at most ${MAX_NESTING} levels deep; got more.`;
    throw documentInvalid(source, message, { reason: 'limit' });
  }
  return value === undefined || isFiniteJson(value) ? value : undefined;
}

function readValue(overrides: OverrideValue, type: VariableType): Json | undefined {
  const last = overrides.at(-1) as Override;
  if ('value' in last) return last.value;
  if (type !== 'array') return parseText(last.text, type);
  const texts = overrides.filter(override => 'text' in override).map(({ text }) => text);
  const parsed = texts.map(text => parseText(text, 'array') ?? [text]);
  return parsed.flat() as Json[];
}

function parseText(text: string, type: VariableType): Json | undefined {
  if (type === 'string' || type === 'enum') return text;
  if (type === 'boolean') {
    const key = text.toLowerCase();
    return Object.hasOwn(TRUTH, key) ? TRUTH[key] : undefined;
  }
  if (type === 'number' || type === 'integer') {
    const value = NUMERAL.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(value) ? value : undefined;
  }
  try {
    const value: Json = JSON.parse(text);
    return (type === 'array' ? Array.isArray(value) : isJsonObject(value)) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Position of the target of config overrides, for errors. */
export interface OverrideTarget {
  readonly node: string;
  readonly path: string;
  readonly surface: readonly SurfaceEntry[];
}

/**
 * A copy of `values` with the overrides applied and missing parents created.
 * @throws DashError CONFIG_OVERRIDE_VALUE_INVALID for a value that does not fit the surface.
 */
export function withOverrides(
  values: JsonObject,
  fields: ReadonlyMap<string, OverrideValue>,
  target: OverrideTarget,
): JsonObject {
  const changed = cloneJson(values);
  for (const [field, overrides] of fields) {
    const entry = target.surface.find(candidate => candidate.field === field) as SurfaceEntry;
    const value = overrideValue(overrides, entry.type);
    const fits = value !== undefined && mismatch(surfaceField(entry), value, jsonEqual) === undefined;
    if (!fits || isReference(value)) throw valueInvalid(target, entry, undefined);
    put(changed, entry.path ?? [field], value);
  }
  return changed;
}

/** Interpolation runs before overrides, so an override cannot be a `$var`. */
function isReference(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, '$var');
}

function put(object: JsonObject, path: readonly string[], value: Json): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    setMember(object, first, value);
    return;
  }
  const inner = ownMember(object, first);
  const next = isJsonObject(inner) ? inner : {};
  setMember(object, first, next);
  put(next, rest, value);
}

export function valueInvalid(target: OverrideTarget, entry: SurfaceEntry, violations: unknown): DashError {
  const message = `The override of "${entry.field}" of "${target.node}" must be of type ${entry.type} and within its bounds.`;
  return new DashError('CONFIG_OVERRIDE_VALUE_INVALID', message, {
    node: target.node,
    field: entry.field,
    path: target.path,
    type: entry.type,
    violations,
  });
}
