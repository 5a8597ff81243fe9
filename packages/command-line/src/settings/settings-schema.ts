import type { JsonSchema } from '@msg/foundation/shape';
import { oneOf, orNull, SCALAR } from './json-schema.ts';
import { describe, type Setting, type SettingGroup } from './setting.ts';

/** A key of a file: the values that it allows, and the keys below it. */
interface Key {
  readonly values: JsonSchema[];
  readonly below: Map<string, Key>;
}

function newKey(): Key {
  return { values: [], below: new Map() };
}

function add(root: Key, path: string, schema: JsonSchema, description: string): void {
  let key = root;
  for (const name of path.split('.')) {
    const next = key.below.get(name) ?? newKey();
    key.below.set(name, next);
    key = next;
  }
  key.values.push({ ...schema, description });
}

function addSetting(root: Key, setting: Setting<unknown>): void {
  const { key, aliases = [], type } = setting;
  for (const path of [key, ...aliases]) add(root, path, type.schema ?? {}, describe(setting));
  const above = key.slice(0, key.lastIndexOf('.') + 1);
  for (const [name, help] of Object.entries(type.companions ?? {})) add(root, above + name, SCALAR, help);
}

function schemaOf({ values, below }: Key): JsonSchema {
  if (below.size === 0) return orNull(oneOf(...values));
  return orNull(oneOf(...values, mapSchema(below)));
}

function mapSchema(below: ReadonlyMap<string, Key>): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries([...below].map(([name, key]) => [name, schemaOf(key)])),
    additionalProperties: false,
  };
}

/**
 * The JSON Schema (2020-12) of a configuration file with those settings, for editors. It knows keys, kinds and words;
 * what depends on other keys, and forms that a pattern cannot express, are checked by the program alone.
 */
export function settingsSchema(settings: SettingGroup, title: string): JsonSchema {
  const root = newKey();
  for (const setting of Object.values(settings)) addSetting(root, setting);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...mapSchema(root.below),
  };
}
