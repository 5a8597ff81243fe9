import type { JsonObject } from '#src/document/json.ts';
import { MAX_NESTING, nestsDeeper } from '#src/document/nesting.ts';
import { DashError } from '#src/errors.ts';
import { listDashboards } from '#src/reads/list.ts';
import { getNode } from '#src/reads/node.ts';
import { getOutline } from '#src/reads/outline.ts';
import { readStored, requireMatchingId, type StoredDocument } from '#src/store/stored-document.ts';
import { DASHBOARDS, OPEN_OBJECT, OUTLINE, objectOf, SURFACE, TEXT } from './output.ts';
import { type Arguments, type DashTool, DOCUMENT_ID, type ToolRoom, text } from './tool.ts';

export const DOCUMENT_TOOLS: readonly DashTool[] = [
  {
    name: 'dash_list_dashboards',
    title: 'List dashboards',
    description: 'List stored dashboards',
    takes: {},
    outputSchema: objectOf({ dashboards: DASHBOARDS }),
    run: (_args, { shop }) => listDashboards(shop.store),
  },
  {
    name: 'dash_get_outline',
    title: 'Outline a dashboard',
    description: [
      'Show the nodes of a dashboard, without their configs.',
      'Plan structural edits from it, and note the revision. A problem means that the stored document does not resolve.',
    ].join('\n'),
    takes: { id: DOCUMENT_ID },
    outputSchema: OUTLINE,
    run: async (args, room) => {
      const { id, stored, revision } = await load(args, room);
      return getOutline(id, stored.document, room.catalog, room.resolveOptions, revision);
    },
  },
  {
    name: 'dash_get_node',
    title: 'Read a node',
    description: [
      'Read one stored node, and which of its fields may be edited.',
      'surfacePath + "/" + key, its dots as slashes, is the path of a field. For a block, surface is that of its content',
      'and ownSurface its own. A scope keyword ($manifest, $theme, $variables, $connections, $root) works too.',
    ].join('\n'),
    takes: {
      id: DOCUMENT_ID,
      nodeId: text('id of a node, as dash_get_outline gives it, or a scope keyword'),
    },
    outputSchema: objectOf(
      { id: TEXT, nodeId: TEXT, subtree: {}, surface: SURFACE },
      { revision: TEXT, surfacePath: TEXT, ownSurface: SURFACE },
    ),
    run: async (args, room) => {
      const { id, stored, revision } = await load(args, room);
      return getNode(id, stored.document, args['nodeId'] as string, room.catalog, revision);
    },
  },
  {
    name: 'dash_get_document',
    title: 'Read a dashboard',
    description: 'Read a whole stored dashboard, and on request its resolved tree',
    takes: {
      id: DOCUMENT_ID,
      resolved: { type: 'boolean', description: 'true adds the resolved tree', required: false },
    },
    outputSchema: objectOf({ id: TEXT, document: OPEN_OBJECT }, { resolved: OPEN_OBJECT }),
    run: async (args, room) => {
      const { id, stored } = await load(args, room);
      if (args['resolved'] !== true) return { id, document: stored.document };
      requireMatchingId(id, stored);
      return { id, document: stored.document, resolved: room.shop.resolve(stored.document) };
    },
  },
];

interface Loaded {
  readonly id: string;
  readonly stored: StoredDocument;
  readonly revision?: string;
}

/** The document as it is stored now. @throws DashError STORAGE_*, RESOLVE_DOCUMENT_INVALID when it nests too deep to walk. */
async function load(args: Arguments, { shop }: ToolRoom): Promise<Loaded> {
  const id = args['id'] as string;
  const { bytes, revision } = await shop.store.load(id);
  const stored = readStored(id, bytes);
  requireNesting(id, stored.document);
  return { id, stored, ...(revision === undefined ? {} : { revision }) };
}

function requireNesting(id: string, document: JsonObject): void {
  if (!nestsDeeper(document)) return;
  const message = `Arrays and objects of "${id}" nest deeper than ${MAX_NESTING} levels.`;
  throw new DashError('RESOLVE_DOCUMENT_INVALID', message, { source: id, reason: 'limit' });
}
