import type { CallToolResult } from '@modelcontextprotocol/server';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import type { DashTool } from './tool.ts';

/** Result of a tool that worked: its output as structured content, and as text for hosts that show only that. */
export function success(output: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: { ...output } };
}

/**
 * A failure as the tool error that carries the coded error unchanged (dashboard details 13.2). Structured content only
 * where the output schema has a place for it: clients check it against that schema.
 */
export function failure(tool: DashTool, error: unknown): CallToolResult {
  const envelope = coded(error);
  if (tool.answersFailure !== true) return { isError: true, content: [textOf(envelope)] };
  const outcome = { ok: false, ...envelope };
  return { isError: true, content: [textOf(outcome)], structuredContent: outcome };
}

function textOf(value: object) {
  return { type: 'text' as const, text: JSON.stringify(value) };
}

/** An error without a code becomes MCP_INTERNAL and shows nothing of itself. */
function coded(error: unknown): ErrorEnvelope {
  if (error instanceof DashError) return error.toEnvelope();
  return new DashError(
    'MCP_INTERNAL',
    'The tool server is in an unexpected state; try again.',
    {},
  ).toEnvelope();
}
