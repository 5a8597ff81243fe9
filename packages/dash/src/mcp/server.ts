import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { display } from '../document/display.ts';
import { inputSchema, readArguments } from './arguments.ts';
import { DOCUMENT_TOOLS } from './document-tools.ts';
import { MANIFEST_TOOL } from './manifest-tool.ts';
import { PATCH_TOOL } from './patch-tool.ts';
import { failure, success } from './result.ts';
import { SCHEMA_TOOLS } from './schema-tools.ts';
import { SKILL_TOOLS } from './skill-tools.ts';
import type { DashTool, ToolContext } from './tool.ts';

const INSTRUCTIONS =
  'Dashboard documents: read them and try changes. Call dash_get_manifest first; it lists tools, item types, skills ' +
  'and documents. Nothing here writes: validate a changeset with dash_validate_patch until ok is true, then a human ' +
  'commits it through POST /api/patch.';

const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

const SKILL_SCHEME = 'dash-skill://';

/** The live registry: `tools/list` and the bootstrap manifest both show exactly these. */
export const DASH_TOOLS: readonly DashTool[] = [
  MANIFEST_TOOL,
  ...SKILL_TOOLS,
  ...DOCUMENT_TOOLS,
  ...SCHEMA_TOOLS,
  PATCH_TOOL,
];

/**
 * The tool server of one connection (dashboard details 13). It uses the protocol library's low-level handlers, so that
 * bad arguments become a coded tool error and not a protocol error.
 */
export function createDashServer(context: ToolContext): Server {
  const server = new Server(
    { name: 'dash', version: context.version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({ tools: DASH_TOOLS.map(described) }));
  server.setRequestHandler('tools/call', ({ params }) => call(params.name, params.arguments ?? {}, context));
  server.setRequestHandler('resources/list', () => ({ resources: resources(context) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [resource(params.uri, context)] }));
  return server;
}

function described(tool: DashTool) {
  const { name, title, description } = tool;
  const outputSchema = tool.outputSchema as { type: 'object' };
  return { name, title, description, inputSchema: inputSchema(tool), outputSchema, annotations: ANNOTATIONS };
}

async function call(
  name: string,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<CallToolResult> {
  const tool = DASH_TOOLS.find(candidate => candidate.name === name);
  if (tool === undefined) {
    const names = DASH_TOOLS.map(candidate => candidate.name).join(', ');
    const message = `Tool "${display(name)}" does not exist; known: ${names}.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  try {
    return success(await tool.run(readArguments(tool, args), context, DASH_TOOLS));
  } catch (error) {
    return failure(tool, error);
  }
}

function resources(context: ToolContext) {
  return [...context.skills.values()].map(({ name, description }) => ({
    uri: `${SKILL_SCHEME}${name}`,
    name,
    description,
    mimeType: 'text/markdown',
  }));
}

function resource(uri: string, context: ToolContext) {
  const skill = uri.startsWith(SKILL_SCHEME) ? context.skills.get(uri.slice(SKILL_SCHEME.length)) : undefined;
  if (skill === undefined) throw new ResourceNotFoundError(display(uri));
  return { uri, mimeType: 'text/markdown', text: skill.body };
}
