import type { ChannelPattern, PayloadSchema } from './types.ts';

/** The place and the reason of a violation. */
export interface SchemaViolation {
  /** JSON path from the payload: `$.lines[2].qty`. */
  readonly path: string;
  readonly problem: string;
}

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Longest part of a member's name in a path, because publishers choose the names. */
const LONGEST_NAME = 40;

function memberPath(path: string, name: string): string {
  const plain = name.length <= LONGEST_NAME && PLAIN_NAME.test(name);
  return plain ? `${path}.${name}` : `${path}[${JSON.stringify(name.slice(0, LONGEST_NAME))}]`;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

function fits(value: unknown, type: string): boolean {
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  return typeOf(value) === type;
}

function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length &&
    left.every(
      ([name, value]) => Object.hasOwn(b, name) && equal(value, (b as Record<string, unknown>)[name]),
    )
  );
}

/**
 * The first violation of a payload schema in a JSON value, depth first; `undefined` for a valid value. It contains no
 * values of the payload.
 */
export function findViolation(
  value: unknown,
  schema: PayloadSchema,
  path = '$',
): SchemaViolation | undefined {
  const { type } = schema;
  if (type !== undefined && !fits(value, type))
    return { path, problem: `must be of type ${type}, is ${typeOf(value)}` };
  if (schema.enum !== undefined && !schema.enum.some(allowed => equal(allowed, value)))
    return { path, problem: 'must be one of the listed values' };
  if (Array.isArray(value)) return inItems(value, schema, path);
  if (typeof value === 'object' && value !== null)
    return inMembers(value as Readonly<Record<string, unknown>>, schema, path);
  return undefined;
}

/**
 * Why a payload fits no aspect of its channel's schema, with the JSON path in each and without its values; `undefined` when
 * it fits one. An aspect without a schema takes everything.
 * @param value of the payload as JSON; `undefined` for a payload that is not JSON
 */
export function findMisfit({ aspects: all }: ChannelPattern, value: unknown): string | undefined {
  const aspects = Object.values(all);
  const schemas = aspects.flatMap(({ name, payload_schema }): [string, PayloadSchema][] =>
    payload_schema === undefined ? [] : [[name, payload_schema]],
  );
  if (schemas.length < aspects.length || schemas.length === 0) return undefined;
  if (value === undefined) return '$ must be JSON';
  const problems: string[] = [];
  for (const [name, schema] of schemas) {
    const violation = findViolation(value, schema);
    if (violation === undefined) return undefined;
    problems.push(`${name}: ${violation.path} ${violation.problem}`);
  }
  return problems.join('; ');
}

function inItems(
  items: readonly unknown[],
  { items: schema }: PayloadSchema,
  path: string,
): SchemaViolation | undefined {
  if (schema === undefined) return undefined;
  for (const [index, item] of items.entries()) {
    const violation = findViolation(item, schema, `${path}[${index}]`);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function inMembers(
  value: Readonly<Record<string, unknown>>,
  { required = [], properties = {}, additionalProperties = true }: PayloadSchema,
  path: string,
): SchemaViolation | undefined {
  const missing = required.find(name => !Object.hasOwn(value, name));
  if (missing !== undefined) return { path: memberPath(path, missing), problem: 'is required' };
  for (const [name, member] of Object.entries(value)) {
    const here = memberPath(path, name);
    const declared = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (declared === false) return { path: here, problem: 'is not allowed' };
    if (typeof declared !== 'object') continue;
    const violation = findViolation(member, declared, here);
    if (violation !== undefined) return violation;
  }
  return undefined;
}
