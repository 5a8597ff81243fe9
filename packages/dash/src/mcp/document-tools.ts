import { defined } from '@msg/foundation/json';
import { flag, optional, required, text } from '@msg/foundation/shape';
import type { JsonObject } from '../document/json.ts';
import { MAX_NESTING, nestsDeeper } from '../document/nesting.ts';
import { DashError } from '../errors.ts';
import { listDashboards } from '../reads/list.ts';
import { getNode } from '../reads/node.ts';
import { getOutline } from '../reads/outline.ts';
import { readStored, requireMatchingId, type StoredDocument } from '../store/stored-document.ts';
import { DASHBOARDS, OPEN_OBJECT, OUTLINE, objectOf, SURFACE, TEXT } from './output.ts';
import { type DashTool, DOCUMENT_ID, dashTool, type ToolContext } from './tool.ts';

export const DOCUMENT_TOOLS: readonly DashTool[] = [
  dashTool({
    name: 'dash_list_dashboards',
    title: 'List dashboards',
    description: 'List stored dashboards',
    takes: {},
    outputSchema: objectOf({ dashboards: DASHBOARDS }),
    run: (_args, { store }) => listDashboards(store),
  }),
  dashTool({
    name: 'dash_get_outline',
    title: 'Outline a dashboard',
    description: [
      'Show the nodes of a dashboard, without their configs.',
      'Plan structural edits from it, and note the revision. A problem means that the stored document does not resolve.',
    ].join('\n'),
    takes: { id: DOCUMENT_ID },
    outputSchema: OUTLINE,
    run: async (args, context) => {
      const { id, stored, revision } = await load(args.id, context);
      return getOutline(id, stored.document, context.engine, revision);
    },
  }),
  dashTool({
    name: 'dash_get_node',
    title: 'Read a node',
    description: [
      'Read one stored node, and which of its fields may be edited.',
      'surfacePath + "/" + key, its dots as slashes, is the path of a field. For a block, surface is that of its content',
      'and ownSurface its own. A scope keyword ($manifest, $theme, $variables, $connections, $root) works too.',
    ].join('\n'),
    takes: {
      id: DOCUMENT_ID,
      nodeId: required(text, 'id of a node, as dash_get_outline gives it, or a scope keyword'),
    },
    outputSchema: objectOf(
      { id: TEXT, nodeId: TEXT, subtree: {}, surface: SURFACE },
      { revision: TEXT, surfacePath: TEXT, ownSurface: SURFACE },
    ),
    run: async (args, context) => {
      const { id, stored, revision } = await load(args.id, context);
      return getNode(id, stored.document, args.nodeId, context.engine, revision);
    },
  }),
  dashTool({
    name: 'dash_get_document',
    title: 'Read a dashboard',
    description: 'Read a whole stored dashboard, and on request its resolved tree',
    takes: {
      id: DOCUMENT_ID,
      resolved: optional(flag, 'true adds the resolved tree'),
    },
    outputSchema: objectOf({ id: TEXT, document: OPEN_OBJECT }, { resolved: OPEN_OBJECT }),
    run: async (args, context) => {
      const { id, stored } = await load(args.id, context);
      if (args.resolved !== true) return { id, document: stored.document };
      requireMatchingId(id, stored);
      return { id, document: stored.document, resolved: context.engine.resolve(stored.document) };
    },
  }),
];

interface Loaded {
  readonly id: string;
  readonly stored: StoredDocument;
  readonly revision?: string;
}

/** Loads the current document. @throws DashError STORAGE_*, RESOLVE_DOCUMENT_INVALID for too deep nesting */
async function load(id: string, { store }: ToolContext): Promise<Loaded> {
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
