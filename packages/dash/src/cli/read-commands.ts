import { openDocumentEngine } from '../reads/document-engine.ts';
import { getNode } from '../reads/node.ts';
import { getOutline } from '../reads/outline.ts';
import { getSchema, listSchemas } from '../reads/schemas.ts';
import { readStored } from '../store/stored-document.ts';
import { dashCommand, print, storeOf, TYPE_SETTINGS } from './settings.ts';

const ID = { name: 'id', help: 'id of a stored document' } as const;

const outline = dashCommand({
  name: 'outline',
  args: [ID],
  summary: 'print the tree of a document without its configs',
  settings: TYPE_SETTINGS,
  async run({ args: [id = ''], settings, io }) {
    const { bytes, revision } = await storeOf(settings).load(id);
    const { document } = readStored(id, bytes);
    print(io, getOutline(id, document, openDocumentEngine(settings.schemas), revision));
  },
});

const node = dashCommand({
  name: 'node',
  args: [ID, { name: 'node', help: 'id of a node, or a scope' }],
  summary: 'print a stored node or scope and what may be edited of it',
  settings: TYPE_SETTINGS,
  async run({ args: [id = '', nodeId = ''], settings, io }) {
    const { bytes, revision } = await storeOf(settings).load(id);
    const { document } = readStored(id, bytes);
    print(io, getNode(id, document, nodeId, openDocumentEngine(settings.schemas), revision));
  },
});

const schemas = dashCommand({
  name: 'schemas',
  summary: 'list the item types',
  settings: TYPE_SETTINGS,
  async run({ settings, io }) {
    print(io, listSchemas(openDocumentEngine(settings.schemas).catalog));
  },
});

const schema = dashCommand({
  name: 'schema',
  args: [{ name: 'type', help: 'an item type, as `dashdoc schemas` lists it' }],
  summary: 'print the schema of a type',
  settings: TYPE_SETTINGS,
  async run({ args: [type = ''], settings, io }) {
    print(io, getSchema(openDocumentEngine(settings.schemas).catalog, type));
  },
});

/** Commands that print the answers of the read tools (dashboard details 13.3). */
export const readCommands = [outline, node, schemas, schema];
