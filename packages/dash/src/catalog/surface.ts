import { defined } from '@msg/foundation/json';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import type { VariableType } from '../document/types.ts';
import { DashError } from '../errors.ts';
import type { Surface, SurfaceField } from './node-types.ts';
import type { SurfaceEntry } from './types.ts';

export const VARIABLE_TYPES: readonly VariableType[] = [
  'string',
  'number',
  'integer',
  'boolean',
  'enum',
  'array',
  'object',
];
const SEGMENT = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const DESCRIPTOR_KEYS = ['type', 'label', 'constraints', 'rendering'];

/** Finds a schema by `$id`, for `$ref`s within the catalogue. */
export type SchemaLookup = (id: string) => JsonObject | undefined;

/**
 * Reads a `configurable` map, or one scope of `documentScopes`, into entries sorted by field.
 * @param owner name of the type or scope in errors
 * @param schema schema that declares the fields
 * @throws DashError CONFIGURABLE_SURFACE_INVALID `{type, field, reason}` (dashboard details 4.4).
 */
export function readSurface(
  owner: string,
  configurable: Json | undefined,
  schema: JsonObject,
  lookup: SchemaLookup,
): SurfaceEntry[] {
  if (configurable === undefined) return [];
  if (!isJsonObject(configurable)) throw surfaceInvalid(owner, '', 'not an object');
  return Object.keys(configurable)
    .sort()
    .map(field => readEntry(owner, field, configurable[field], schema, lookup));
}

function readEntry(
  owner: string,
  field: string,
  descriptor: Json | undefined,
  schema: JsonObject,
  lookup: SchemaLookup,
): SurfaceEntry {
  const fail = (reason: string) => surfaceInvalid(owner, field, reason);
  const path = field.split('.');
  if (!path.every(segment => SEGMENT.test(segment))) throw fail('not a legal field key');
  if (!declares(schema, schema, path, lookup)) throw fail('no such property');
  if (!isJsonObject(descriptor)) throw fail('descriptor is not an object');
  const foreign = Object.keys(descriptor).find(key => !DESCRIPTOR_KEYS.includes(key));
  if (foreign !== undefined) throw fail(`unknown descriptor key "${foreign}"`);
  const { type, label, constraints, rendering } = descriptor;
  if (!VARIABLE_TYPES.includes(type as VariableType)) throw fail('unknown type');
  if (label !== undefined && typeof label !== 'string') throw fail('label is not text');
  if (constraints !== undefined && !isJsonObject(constraints)) throw fail('constraints is not an object');
  if (rendering !== undefined && typeof rendering !== 'string') throw fail('rendering is not text');
  if (type === 'enum' && !Array.isArray(constraints?.['enum'])) throw fail('enum without constraints.enum');
  return defined({
    field,
    path: path.length > 1 ? path : undefined,
    type: type as VariableType,
    label: label ?? field,
    constraints,
    rendering,
  });
}

/** Whether `schema` declares the property that `path` walks to, through nested properties and references. */
function declares(
  schema: JsonObject,
  owner: JsonObject,
  path: readonly string[],
  lookup: SchemaLookup,
): boolean {
  const [first, ...rest] = path;
  if (first === undefined) return true;
  const properties = ownMember(schema, 'properties');
  const property = isJsonObject(properties) ? ownMember(properties, first) : undefined;
  if (property !== undefined) {
    return rest.length === 0 || (isJsonObject(property) && declares(property, owner, rest, lookup));
  }
  const parts = ownMember(schema, 'allOf');
  if (Array.isArray(parts) && parts.some(part => isJsonObject(part) && declares(part, owner, path, lookup)))
    return true;
  const reference = ownMember(schema, '$ref');
  const target = typeof reference === 'string' ? follow(reference, owner, lookup) : undefined;
  return target !== undefined && declares(target.schema, target.owner, path, lookup);
}

function follow(reference: string, owner: JsonObject, lookup: SchemaLookup) {
  const [id = '', fragment = ''] = reference.split('#');
  const base = id === '' ? owner : lookup(id);
  if (base === undefined) return undefined;
  let at: Json | undefined = base;
  for (const segment of fragment.split('/').slice(1))
    at = isJsonObject(at) ? ownMember(at, segment) : undefined;
  return isJsonObject(at) ? { schema: at, owner: base } : undefined;
}

/** The error CONFIGURABLE_SURFACE_INVALID. */
export function surfaceInvalid(type: string, field: string, reason: string): DashError {
  return new DashError(
    'CONFIGURABLE_SURFACE_INVALID',
    `The surface of type ${type} is not valid at "${field}": ${reason}.`,
    {
      type,
      field,
      reason,
    },
  );
}

/** The surface with a lookup by field, for changesets. */
export function surfaceFields(entries: readonly SurfaceEntry[]): Surface {
  return new Map(entries.map(entry => [entry.field, surfaceField(entry)]));
}

export function surfaceField({ type, constraints }: SurfaceEntry): SurfaceField {
  const allowed = type === 'enum' ? constraints?.['enum'] : undefined;
  return Array.isArray(allowed) ? { type, allowed } : { type };
}
