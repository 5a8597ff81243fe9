import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import { isJsonObject, ownMember } from '../document/json.ts';

/** The error answer to a line that is not a message (JSON-RPC 2.0, section 5.1). */
export interface LineDenial {
  readonly jsonrpc: '2.0';
  /** The id of the line; null without one. */
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** The refusal of a line that is not a JSON-RPC message; undefined for a message. It repeats the id of the line only. */
export function lineDenial(line: string): LineDenial | undefined {
  const message = parsed(line);
  if (message === undefined) return denial(null, PARSE_ERROR, 'Parse error: the line must be JSON.');
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)) {
    return undefined;
  }
  const reason = Array.isArray(message)
    ? 'Invalid Request: a batch is not allowed: send one message per line.'
    : 'Invalid Request: the line must be a JSON-RPC 2.0 message.';
  return denial(idOf(message), INVALID_REQUEST, reason);
}

/** Parses a line; undefined, which JSON does not have, for invalid JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function idOf(message: unknown): string | number | null {
  const id = isJsonObject(message) ? ownMember(message, 'id') : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function denial(id: LineDenial['id'], code: number, message: string): LineDenial {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
