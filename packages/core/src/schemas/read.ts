import { isRecord } from '@msg/foundation/json';
import { MsgError } from '../errors.ts';
import { parseSchemaPattern } from './pattern.ts';
import {
  type Aspect,
  type ChannelPattern,
  PAYLOAD_TYPES,
  type PayloadSchema,
  type PayloadType,
  type SchemaAcl,
  type SchemaSnapshot,
} from './types.ts';

/** Levels of a payload schema. */
const MAX_DEPTH = 32;
/** Members of one map, elements of one list. */
const MAX_MEMBERS = 1000;
/** Patterns of one snapshot. */
const MAX_PATTERNS = 100_000;

type JsonObject = Readonly<Record<string, unknown>>;

function fail(path: string, problem: string): never {
  throw new MsgError('MSG_INVALID_ARGUMENT', `${path}: ${problem}`);
}

function object(value: unknown, path: string, allowed: readonly string[] | null): JsonObject {
  if (!isRecord(value)) return fail(path, 'must be an object');
  const names = Object.keys(value);
  if (names.length > MAX_MEMBERS) return fail(path, `has more than ${MAX_MEMBERS} members`);
  const stranger = allowed === null ? undefined : names.find(name => !allowed.includes(name));
  if (stranger !== undefined) return fail(`${path}.${stranger}`, 'is not known');
  return value;
}

function text(value: unknown, path: string): string {
  return typeof value === 'string' ? value : fail(path, 'must be a string');
}

function texts(value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_MEMBERS) return fail(path, 'must be a list of strings');
  return value.map((item, index) => text(item, `${path}[${index}]`));
}

function flag(value: unknown, path: string): boolean {
  return typeof value === 'boolean' ? value : fail(path, 'must be true or false');
}

/** Reads the present members of an object, each with its own reader. */
function members<T>(
  value: JsonObject,
  path: string,
  readers: Readonly<Record<string, (value: unknown, path: string) => unknown>>,
): T {
  const entries = Object.entries(readers)
    .filter(([name]) => value[name] !== undefined)
    .map(([name, read]) => [name, read(value[name], `${path}.${name}`)]);
  return Object.fromEntries(entries) as T; // each member read by its own reader
}

/** Every member of a map; `__proto__` is a name like any other. */
function map<T>(value: unknown, path: string, read: (value: unknown, path: string) => T): Record<string, T> {
  const entries = Object.entries(object(value, path, null));
  return Object.fromEntries(entries.map(([name, item]) => [name, read(item, `${path}.${name}`)]));
}

function payloadType(value: unknown, path: string): PayloadType {
  const payloadType = PAYLOAD_TYPES.find(type => type === value);
  return payloadType ?? fail(path, `must be one of ${PAYLOAD_TYPES.join(', ')}`);
}

/** Refuses a value with too deep nesting for JSON writers. */
function checkDepth(value: unknown, path: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) fail(path, `is nested more than ${MAX_DEPTH} levels deep`);
  for (const inner of Object.values(value)) checkDepth(inner, path, depth + 1);
}

const PAYLOAD_MEMBERS = [
  ...['type', 'required', 'properties', 'items', 'additionalProperties', 'enum', 'description'],
];

function payloadSchema(value: unknown, path: string, depth: number): PayloadSchema {
  if (depth > MAX_DEPTH) return fail(path, `is nested more than ${MAX_DEPTH} levels deep`);
  const nested = (inner: unknown, at: string) => payloadSchema(inner, at, depth + 1);
  return members(object(value, path, PAYLOAD_MEMBERS), path, {
    type: payloadType,
    required: texts,
    properties: (inner, at) => map(inner, at, nested),
    items: nested,
    additionalProperties: (inner, at) => (typeof inner === 'boolean' ? inner : nested(inner, at)),
    enum(inner, at) {
      if (!Array.isArray(inner) || inner.length === 0 || inner.length > MAX_MEMBERS)
        return fail(at, 'must be a list of values');
      checkDepth(inner, at, 0);
      return inner;
    },
    description: text,
  });
}

function aspect(value: unknown, path: string, name: string): Aspect {
  const input = object(value, path, ['name', 'description', 'payload_schema', 'required']);
  const read = members<Partial<Aspect>>(input, path, {
    name: text,
    description: text,
    payload_schema: (inner, at) => payloadSchema(inner, at, 1),
    required: flag,
  });
  if (read.name !== undefined && read.name !== name)
    return fail(`${path}.name`, `must be ${JSON.stringify(name)}`);
  return { name, ...read };
}

/**
 * Reads a channel pattern strictly: every member is checked, and unknown ones are refused. An aspect may take its name
 * from its key in the map; an absent version means 0.
 * @throws MsgError MSG_INVALID_ARGUMENT naming the JSON path. Source: messaging details 14.1.
 */
export function readChannelPattern(value: unknown, path = 'schema'): ChannelPattern {
  const input = object(value, path, ['pattern', 'description', 'version', 'aspects', 'acl']);
  const { version = 0, aspects = {} } = input;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0)
    return fail(`${path}.version`, 'must be a whole number, 0 or more');
  const pattern = text(input['pattern'], `${path}.pattern`);
  parseSchemaPattern(pattern);
  const named = Object.entries(object(aspects, `${path}.aspects`, null)).map(([name, inner]) => [
    name,
    aspect(inner, `${path}.aspects.${name}`, name),
  ]);
  return {
    pattern,
    ...members<Pick<ChannelPattern, 'description'>>(input, path, { description: text }),
    version,
    aspects: Object.fromEntries(named),
    ...members<{ acl?: SchemaAcl }>(input, path, {
      acl: (inner, at) =>
        members(object(inner, at, ['publish_roles', 'subscribe_roles', 'notes']), at, {
          publish_roles: texts,
          subscribe_roles: texts,
          notes: text,
        }),
    }),
  };
}

/**
 * Reads a snapshot; `at` may be absent and is then empty.
 * @throws MsgError MSG_INVALID_ARGUMENT with the JSON path, also for a repeated pattern
 */
export function readSnapshot(value: unknown, path = 'snapshot'): SchemaSnapshot {
  const input = object(value, path, ['patterns', 'at']);
  const { patterns = [], at = '' } = input;
  if (!Array.isArray(patterns)) return fail(`${path}.patterns`, 'must be a list');
  if (patterns.length > MAX_PATTERNS)
    return fail(`${path}.patterns`, `has more than ${MAX_PATTERNS} elements`);
  const seen = new Set<string>();
  const read = patterns.map((item, index) => {
    const here = `${path}.patterns[${index}]`;
    const schema = readChannelPattern(item, here);
    if (seen.has(schema.pattern)) return fail(here, `${JSON.stringify(schema.pattern)} is there twice`);
    seen.add(schema.pattern);
    return schema;
  });
  return { patterns: sortedPatterns(read), at: text(at, `${path}.at`) };
}

/** Patterns ascending by their text. */
export function sortedPatterns(patterns: Iterable<ChannelPattern>): readonly ChannelPattern[] {
  return [...patterns].sort((a, b) => (a.pattern < b.pattern ? -1 : a.pattern > b.pattern ? 1 : 0));
}
