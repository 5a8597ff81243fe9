import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { defined } from '@msg/foundation/json';
import { display } from '../document/display.ts';
import { inputSchema, readArguments } from './arguments.ts';
import { DOCUMENT_TOOLS } from './document-tools.ts';
import { MANIFEST_TOOL } from './manifest-tool.ts';
import { PATCH_TOOL } from './patch-tool.ts';
import { PREVIEW_PAGE, previewPage } from './preview-page.ts';
import { failure, success } from './result.ts';
import { SCHEMA_TOOLS } from './schema-tools.ts';
import { SKILL_TOOLS } from './skill-tools.ts';
import { type DashTool, PageRequest, PREVIEW_APP, type ToolContext } from './tool.ts';
import { REVIEW_KEY, type ToolCall, toolCall } from './tool-call.ts';

const INSTRUCTIONS =
  'Dashboard documents: read them and try changes. Call dash_get_manifest first; it lists tools, item types, skills ' +
  'and documents. Nothing here writes: validate a changeset with dash_validate_patch until ok is true, then a human ' +
  'commits it through POST /api/patch.';

const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
} as const;

const SKILL_SCHEME = 'dash-skill://';

/** The extension of hosts that show pages beside answers (MCP Apps of 2026-01-26). */
const APPS_EXTENSION = 'io.modelcontextprotocol/ui';

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
    {
      capabilities: { tools: {}, resources: {}, extensions: { [APPS_EXTENSION]: {} } },
      instructions: INSTRUCTIONS,
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: DASH_TOOLS.map(tool => described(tool, context)),
  }));
  server.setRequestHandler('tools/call', ({ params }, request) =>
    call(params.name, params.arguments ?? {}, context, toolCall(DASH_TOOLS, server, request)),
  );
  server.setRequestHandler('resources/list', () => ({ resources: resources(context) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [resource(params.uri, context)] }));
  return server;
}

function described(tool: DashTool, { queries }: ToolContext) {
  const { name, title, description, page, asksConnections } = tool;
  const openWorldHint = asksConnections === true && queries !== undefined && queries.origins.length > 0;
  const outputSchema = tool.outputSchema as { type: 'object' };
  const schemas = { inputSchema: inputSchema(tool), outputSchema };
  const _meta = page && { ui: { resourceUri: page } };
  return {
    name,
    title,
    description,
    ...schemas,
    annotations: { ...ANNOTATIONS, openWorldHint },
    ...defined({ _meta }),
  };
}

async function call(
  name: string,
  args: Record<string, unknown>,
  context: ToolContext,
  made: ToolCall,
): Promise<CallToolResult | InputRequiredResult> {
  const tool = DASH_TOOLS.find(candidate => candidate.name === name);
  if (tool === undefined) {
    const names = DASH_TOOLS.map(candidate => candidate.name).join(', ');
    const message = `Tool "${display(name)}" does not exist; known: ${names}.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  try {
    const output = await tool.run(readArguments(tool, args), context, made);
    return output instanceof PageRequest ? pageRequired(output) : success(output);
  } catch (error) {
    return failure(tool, error);
  }
}

/** The user of the host opens the page; the client repeats the call with the user's answer and the state. */
function pageRequired({ url, message, state }: PageRequest): InputRequiredResult {
  return inputRequired({
    inputRequests: { [REVIEW_KEY]: inputRequired.elicitUrl({ message, url }) },
    requestState: state,
  });
}

function resources(context: ToolContext) {
  const skills = [...context.skills.values()].map(({ name, description }) => ({
    uri: `${SKILL_SCHEME}${name}`,
    name,
    description,
    mimeType: 'text/markdown',
  }));
  return [...skills, PREVIEW_PAGE];
}

function resource(uri: string, context: ToolContext) {
  if (uri === PREVIEW_APP) return previewPage();
  const skill = uri.startsWith(SKILL_SCHEME) ? context.skills.get(uri.slice(SKILL_SCHEME.length)) : undefined;
  if (skill === undefined) throw new ResourceNotFoundError(display(uri));
  return { uri, mimeType: 'text/markdown', text: skill.body };
}
