import { defined } from '@msg/foundation/json';
import { flag, optional, required, text } from '@msg/foundation/shape';
import { listDashboards } from '../reads/list.ts';
import { getNode, getResolvedNode } from '../reads/node.ts';
import { requireMatchingId } from '../store/stored-document.ts';
import { missingBeside } from './arguments.ts';
import { overrides } from './fields.ts';
import { load } from './load.ts';
import { OUTLINE_TOOL } from './outline-tool.ts';
import { LIST, OBJECT, objectOf, TEXT } from './output.ts';
import { AT, type DashTool, DOCUMENT_ID, dashTool } from './tool.ts';

const OVERRIDES = optional(overrides, 'values by variable or <node id>.<field>, with resolved');

export const DOCUMENT_TOOLS: readonly DashTool[] = [
  dashTool({
    name: 'dash_list_dashboards',
    title: 'List dashboards',
    description: 'List stored dashboards',
    takes: {},
    outputSchema: objectOf({ dashboards: LIST }),
    run: async (_args, { store }) => listDashboards(store),
  }),
  OUTLINE_TOOL,
  dashTool({
    name: 'dash_get_node',
    title: 'Read a node',
    description: [
      'Read one stored node, and which of its fields may be edited.',
      'surfacePath + "/" + key, its dots as slashes, is the path of a field. Of a block, surface is that of its content,',
      'ownSurface its own.',
    ].join('\n'),
    takes: {
      id: DOCUMENT_ID,
      nodeId: required(text, 'a node, or $manifest, $variables, $connections, $theme, $root'),
      at: AT,
      resolved: optional(flag, 'only the one resolved node'),
      overrides: OVERRIDES,
    },
    outputSchema: objectOf(
      { id: TEXT, nodeId: TEXT },
      { revision: TEXT, subtree: {}, surface: LIST, resolved: OBJECT },
    ),
    run: async ({ id, nodeId, at, resolved, overrides: values }, context) => {
      if (values !== undefined && resolved !== true)
        throw missingBeside('dash_get_node', 'overrides', 'resolved');
      const { stored, revision } = await load(id, context, at);
      if (resolved !== true) return getNode(id, stored.document, nodeId, context.engine, revision);
      requireMatchingId(id, stored);
      return getResolvedNode(
        id,
        stored.document,
        nodeId,
        context.engine,
        defined({ revision, overrides: values }),
      );
    },
  }),
  dashTool({
    name: 'dash_get_document',
    title: 'Read a dashboard',
    description: 'Read a whole stored dashboard, and on request its resolved tree',
    takes: {
      id: DOCUMENT_ID,
      at: AT,
      resolved: optional(flag, 'adds the resolved tree'),
      overrides: OVERRIDES,
    },
    outputSchema: objectOf({ id: TEXT, document: OBJECT }, { resolved: OBJECT }),
    run: async ({ id, at, resolved, overrides: values }, context) => {
      if (values !== undefined && resolved !== true)
        throw missingBeside('dash_get_document', 'overrides', 'resolved');
      const { stored } = await load(id, context, at);
      if (resolved !== true) return { id, document: stored.document };
      requireMatchingId(id, stored);
      const tree = context.engine.resolve(stored.document, defined({ overrides: values }));
      return { id, document: stored.document, resolved: tree };
    },
  }),
];
