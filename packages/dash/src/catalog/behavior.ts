import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { VARIABLE_TYPES } from './surface.ts';
import type { Behavior } from './types.ts';

const ROLE_KEYS: Readonly<Record<string, readonly string[]>> = {
  region: ['role', 'childPolicy', 'layout'],
  wrapper: ['role', 'contentField'],
  widget: ['role', 'binds', 'rangeCheck', 'requireOptions'],
};
const CHILD_POLICIES = ['regions-or-wrappers', 'widgets'];
const LAYOUTS = ['grid', 'flow', 'none'];

/**
 * Reads the `behavior` keyword of an item schema. A schema without it is a leaf.
 * @throws DashError SCHEMA_BEHAVIOR_INVALID `{schema, field, value?}` (dashboard details 4.3).
 */
export function readBehavior(schema: JsonObject): Behavior {
  const behavior = ownMember(schema, 'behavior');
  if (behavior === undefined) return { role: 'leaf' };
  if (!isJsonObject(behavior)) throw incoherent(schema, 'behavior', behavior);
  const role = ownMember(behavior, 'role');
  const keys = typeof role === 'string' && Object.hasOwn(ROLE_KEYS, role) ? ROLE_KEYS[role] : undefined;
  if (keys === undefined) throw incoherent(schema, 'role', role);
  const foreign = Object.keys(behavior).find(key => !keys.includes(key));
  if (foreign !== undefined) throw incoherent(schema, foreign, behavior[foreign]);
  for (const [field, isLegal] of Object.entries(rules(schema)[role as string] ?? {})) {
    const value = ownMember(behavior, field);
    if (!isLegal(value)) throw incoherent(schema, field, value);
  }
  return behavior as unknown as Behavior;
}

type Rule = (value: Json | undefined) => boolean;

function rules(schema: JsonObject): Readonly<Record<string, Readonly<Record<string, Rule>>>> {
  const properties = ownMember(schema, 'properties');
  const declares = (name: string) => isJsonObject(properties) && Object.hasOwn(properties, name);
  return {
    region: {
      childPolicy: value => CHILD_POLICIES.includes(value as string),
      layout: value => value === undefined || LAYOUTS.includes(value as string),
    },
    wrapper: { contentField: value => typeof value === 'string' && value !== '' && declares(value) },
    widget: { binds: isTypeList, rangeCheck: isFlag, requireOptions: isFlag },
  };
}

function isTypeList(value: Json | undefined): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every(type => VARIABLE_TYPES.includes(type as never))
  );
}

function isFlag(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'boolean';
}

function incoherent(schema: JsonObject, field: string, value: Json | undefined): DashError {
  const id = String(schema['$id']);
  return new DashError(
    'SCHEMA_BEHAVIOR_INVALID',
    `Behavior of ${id} is not coherent at "${field}"; correct the schema.`,
    {
      schema: id,
      field,
      value,
    },
  );
}
