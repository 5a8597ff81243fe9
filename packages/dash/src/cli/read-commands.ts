import type { Command } from 'commander';
import { loadCatalog } from '#src/catalog/index.ts';
import type { Catalog } from '#src/catalog/types.ts';
import { getNode } from '#src/reads/node.ts';
import { getOutline } from '#src/reads/outline.ts';
import { getSchema, listSchemas } from '#src/reads/schemas.ts';
import { readStored } from '#src/store/stored-document.ts';
import { addCommand, print, type SharedFlags, storeOf } from './shared-flags.ts';
import type { Surroundings } from './surroundings.ts';

/** Commands that print what the read tools answer (dashboard details 13.3). */
export function addReadCommands(program: Command, surroundings: Surroundings): void {
  addReadCommand(program, 'outline <id>', 'print the tree of a document without its configs').action(
    async (id: string, flags: SharedFlags) => {
      const { bytes, revision } = await storeOf(flags).load(id);
      const { document } = readStored(id, bytes);
      print(surroundings, getOutline(id, document, catalogOf(flags), {}, revision));
    },
  );

  addReadCommand(
    program,
    'node <id> <node>',
    'print a stored node or scope and what may be edited of it',
  ).action(async (id: string, nodeId: string, flags: SharedFlags) => {
    const { bytes, revision } = await storeOf(flags).load(id);
    print(surroundings, getNode(id, readStored(id, bytes).document, nodeId, catalogOf(flags), revision));
  });

  addReadCommand(program, 'schemas', 'list the item types').action(async (flags: SharedFlags) => {
    print(surroundings, listSchemas(catalogOf(flags)));
  });

  addReadCommand(program, 'schema <type>', 'print the schema of a type').action(
    async (type: string, flags: SharedFlags) => print(surroundings, getSchema(catalogOf(flags), type)),
  );
}

function addReadCommand(program: Command, signature: string, description: string): Command {
  return addCommand(program, signature, description).option(
    '--schemas <directory>',
    'directory of item types',
  );
}

function catalogOf(flags: SharedFlags): Catalog {
  return loadCatalog(flags.schemas === undefined ? {} : { dir: flags.schemas });
}
