import type { Catalog } from '#src/catalog/types.ts';
import type { JsonObject } from '#src/document/json.ts';
import { nearest } from '#src/document/nearest.ts';
import { DashError } from '#src/errors.ts';

/** Answer of `dash_list_schemas`: item types by name, then the envelope. */
export function listSchemas(catalog: Catalog): { types: string[] } {
  return { types: [...[...catalog.items.keys()].sort(), 'dashboard'] };
}

/**
 * Answer of `dash_get_schema`: an item type (`name` or `name@x.y.z`), `connection/<name>`, `theme` or `dashboard`
 * (dashboard details 13.3).
 *
 * @throws DashError SCHEMA_NOT_FOUND `{type, known}`.
 */
export function getSchema(catalog: Catalog, type: string): { type: string; schema: JsonObject } {
  if (type === 'dashboard') return { type, schema: catalog.envelope };
  if (type === 'theme') return { type, schema: catalog.theme };
  const connection = type.startsWith('connection/');
  const [name = '', version] = (connection ? type.slice('connection/'.length) : type).split('@');
  const versions = (connection ? catalog.connections : catalog.items).get(name) ?? [];
  const found = version === undefined ? versions[0] : versions.find(one => one.version === version);
  if (found !== undefined) return { type, schema: found.schema };
  const names = [...catalog.connections.keys()].map(one => `connection/${one}`);
  const known = nearest(type, [...listSchemas(catalog).types, 'theme', ...names]);
  throw new DashError('SCHEMA_NOT_FOUND', `There is no schema "${type.slice(0, 200)}".`, { type, known });
}
