import { defined } from '@msg/foundation/json';
import type { JsonObject } from '../document/json.ts';
import { MAX_NESTING, nestsDeeper } from '../document/nesting.ts';
import { DashError } from '../errors.ts';
import { listDashboards } from '../reads/list.ts';
import { getNode } from '../reads/node.ts';
import { getOutline } from '../reads/outline.ts';
import { readStored, requireMatchingId, type StoredDocument } from '../store/stored-document.ts';
import { DASHBOARDS, OPEN_OBJECT, OUTLINE, objectOf, SURFACE, TEXT } from './output.ts';
import { type Arguments, type DashTool, DOCUMENT_ID, type ToolContext, text } from './tool.ts';

export const DOCUMENT_TOOLS: readonly DashTool[] = [
  {
    name: 'dash_list_dashboards',
    title: 'List dashboards',
    description: 'List stored dashboards',
    takes: {},
    outputSchema: objectOf({ dashboards: DASHBOARDS }),
    run: (_args, { store }) => listDashboards(store),
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
    run: async (args, context) => {
      const { id, stored, revision } = await load(args, context);
      return getOutline(id, stored.document, context.engine, revision);
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
    run: async (args, context) => {
      const { id, stored, revision } = await load(args, context);
      return getNode(id, stored.document, args['nodeId'] as string, context.engine, revision);
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
    run: async (args, context) => {
      const { id, stored } = await load(args, context);
      if (args['resolved'] !== true) return { id, document: stored.document };
      requireMatchingId(id, stored);
      return { id, document: stored.document, resolved: context.engine.resolve(stored.document) };
    },
  },
];

interface Loaded {
  readonly id: string;
  readonly stored: StoredDocument;
  readonly revision?: string;
}

/** The document as it is stored now. @throws DashError STORAGE_*, RESOLVE_DOCUMENT_INVALID when it nests too deep to walk. */
async function load(args: Arguments, { store }: ToolContext): Promise<Loaded> {
  const id = args['id'] as string;
  const { bytes, revision } = await store.load(id);
  const stored = readStored(id, bytes);
  requireNesting(id, stored.document);
  return defined({ id, stored, revision });
}

function requireNesting(id: string, document: JsonObject): void {
  if (!nestsDeeper(document)) return;
  const message = `Document "${id}" must be nested at most ${MAX_NESTING} levels deep; got more.`;
  throw new DashError('RESOLVE_DOCUMENT_INVALID', message, { source: id, reason: 'limit' });
}
