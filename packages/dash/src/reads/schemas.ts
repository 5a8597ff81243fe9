import { nearest } from '@msg/foundation/suggest';
import type { Catalog } from '../catalog/types.ts';
import { didYouMean, display } from '../document/display.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { briefSchema } from './brief-schema.ts';

/** Answer of `dash_list_schemas`: item types by name, then the envelope. */
export function listSchemas(catalog: Catalog): { types: string[] } {
  return { types: [...[...catalog.items.keys()].sort(), 'dashboard'] };
}

/**
 * Answer of `dash_get_schema`: an item type (`name` or `name@x.y.z`), `connection/<name>`, `theme` or `dashboard`
 * (dashboard details 13.3).
 * @throws DashError SCHEMA_NOT_FOUND `{type, known}`.
 */
export function getSchema(
  catalog: Catalog,
  type: string,
  brief = false,
): { type: string; schema: JsonObject } {
  const schema = schemaOf(catalog, type);
  return { type, schema: brief ? briefSchema(schema) : schema };
}

/** Several schemas at once, by name. @throws DashError SCHEMA_NOT_FOUND for the first unknown name. */
export function getSchemas(
  catalog: Catalog,
  types: readonly string[],
  brief = false,
): { schemas: JsonObject } {
  const schemas = types.map(type => [type, getSchema(catalog, type, brief).schema] as const);
  return { schemas: Object.fromEntries(schemas) };
}

function schemaOf(catalog: Catalog, type: string): JsonObject {
  if (type === 'dashboard') return catalog.envelope;
  if (type === 'theme') return catalog.theme;
  const connection = type.startsWith('connection/');
  const [name = '', version] = (connection ? type.slice('connection/'.length) : type).split('@');
  const versions = (connection ? catalog.connections : catalog.items).get(name) ?? [];
  const schemaType = version === undefined ? versions[0] : versions.find(entry => entry.version === version);
  if (schemaType !== undefined) return schemaType.schema;
  const names = [...catalog.connections.keys()].map(entry => `connection/${entry}`);
  const suggestions = nearest(type, [...listSchemas(catalog).types, 'theme', ...names]);
  throw new DashError(
    'SCHEMA_NOT_FOUND',
    `Type "${display(type)}" does not exist${didYouMean(suggestions)}`,
    {
      type,
      known: suggestions,
    },
  );
}
