import { loadCatalog } from '#src/catalog/index.ts';
import { nodeTypes } from '#src/catalog/reference.ts';
import { resolveDocument } from '#src/resolve/index.ts';
import type { Engine } from './surroundings.ts';

/**
 * Catalogue and resolver of the schema directory, or of the built-in types.
 *
 * @throws DashError SCHEMA_*, CONFIGURABLE_SURFACE_INVALID, CONTRACT_INVALID.
 */
export async function openEngine(directory: string | undefined): Promise<Engine> {
  const catalog = loadCatalog(directory === undefined ? {} : { dir: directory });
  return {
    types: nodeTypes(catalog),
    resolve: (document, { overrides = [], requireSecrets = false }) =>
      resolveDocument(document, catalog, {
        overrides: overrides.map(([address, text]) => ({ address, text })),
        requireSecrets,
      }),
  };
}
