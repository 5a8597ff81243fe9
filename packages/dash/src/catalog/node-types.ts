import { isJsonObject, type Json, type JsonObject } from '../document/json.ts';

/** One field of a surface, for changesets. */
export interface SurfaceField {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'enum' | 'array' | 'object';
  /** The allowed values of an `enum`. */
  readonly allowed?: readonly Json[];
}

/** Surface keys (`title`, `grid.gap`) with their fields. */
export type Surface = ReadonlyMap<string, SurfaceField>;

/** An item type, for changesets. */
export interface NodeType {
  readonly role: 'region' | 'wrapper' | 'widget' | 'leaf';
  /** The config field in which a wrapper holds its content. */
  readonly contentField?: string;
  readonly surface: Surface;
  /** The config field that names another node, of a type that has one. */
  readonly targetField?: string;
}

/** Scopes of a document that have a surface. */
export type SurfaceScope = '$manifest' | '$theme';

/** The lookup of types that changesets need. */
export interface NodeTypes {
  /** Type of a stored node; undefined when its reference does not link. */
  typeOf(node: JsonObject): NodeType | undefined;
  scopeSurface(scope: SurfaceScope): Surface;
}

/** Why a value does not match the field; undefined when it matches (dashboard details 11.3). */
export function mismatch(
  field: SurfaceField,
  value: Json,
  equal: (a: Json, b: Json) => boolean,
): string | undefined {
  if (isVariableReference(value)) return undefined;
  if (field.type === 'enum')
    return field.allowed?.some(item => equal(item, value)) === true ? undefined : 'enum';
  if (field.type === 'array') return Array.isArray(value) ? undefined : 'array';
  if (field.type === 'integer') return Number.isInteger(value) ? undefined : 'integer';
  if (field.type !== 'object') return typeof value === field.type ? undefined : field.type;
  return isJsonObject(value) ? undefined : 'object';
}

/** Whether the value is `{ "$var": "x" }`, which only the resolution can check. */
function isVariableReference(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 1 && typeof value['$var'] === 'string';
}
