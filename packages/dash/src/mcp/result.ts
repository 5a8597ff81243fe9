import type { CallToolResult } from '@modelcontextprotocol/server';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import { type DashTool, PicturedAnswer } from './tool.ts';

/**
 * Result of a successful tool: its output as structured content, and as text for hosts that show only text. A picture
 * stands behind the text.
 */
export function success(answer: object): CallToolResult {
  const { output, png } = answer instanceof PicturedAnswer ? answer : { output: answer, png: undefined };
  const content: CallToolResult['content'] = [textOf(output)];
  if (png !== undefined) {
    content.push({ type: 'image', data: Buffer.from(png).toString('base64'), mimeType: 'image/png' });
  }
  return { content, structuredContent: { ...output } };
}

/**
 * A failure as a tool error with the coded error unchanged (dashboard details 13.2). It has structured content only if
 * the output schema allows it, because clients check it against that schema.
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

/** The envelope of an error; one without a code becomes MCP_INTERNAL without its message. */
function coded(error: unknown): ErrorEnvelope {
  if (error instanceof DashError) return error.toEnvelope();
  return new DashError(
    'MCP_INTERNAL',
    'The tool server is in an unexpected state; try again.',
    {},
  ).toEnvelope();
}
