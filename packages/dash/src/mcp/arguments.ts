import { nearest } from '@msg/foundation/suggest';
import { display, displayValue } from '../document/display.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { Argument, Arguments, DashTool } from './tool.ts';

/** JSON Schema of a tool's arguments, for `tools/list`. */
export function inputSchema(tool: DashTool): JsonObject & { type: 'object' } {
  const entries = Object.entries(tool.takes);
  const required = entries.filter(([, argument]) => argument.required).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, argument]) => [name, argumentSchema(argument)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function argumentSchema({ type, description }: Argument): JsonObject {
  if (type !== 'changeset') return { type, description };
  return { type: 'array', description, items: OPERATION, maxItems: 1000 };
}

const OPERATION: JsonObject = {
  type: 'object',
  properties: {
    op: { enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
    path: { type: 'string', description: '/<node id or $scope>/<RFC 6901 remainder>' },
    from: { type: 'string', description: 'source of move and copy, the same dialect' },
    value: { description: 'of add, replace and test' },
  },
  required: ['op', 'path'],
};

/**
 * Checks arguments against what the tool takes. `ops` passes as it is: its errors are PATCH_INVALID, as over HTTP.
 * @throws DashError MCP_INVALID `{tool, argument, reason, known?}`.
 */
export function requireArguments(tool: DashTool, args: Arguments): void {
  for (const name of Object.keys(args)) {
    if (Object.hasOwn(tool.takes, name)) continue;
    const suggestions = nearest(name, Object.keys(tool.takes));
    throw invalid(
      tool,
      name,
      'unknown',
      `argument "${display(name)}" does not exist; known: ${Object.keys(tool.takes).join(', ') || 'none'}`,
      suggestions,
    );
  }
  for (const [name, { type, required }] of Object.entries(tool.takes)) {
    if (type === 'changeset') continue;
    if (!Object.hasOwn(args, name)) {
      if (required) throw invalid(tool, name, 'missing', `argument "${name}" is required`);
    } else if (typeof args[name] !== type) {
      throw invalid(
        tool,
        name,
        'type',
        `argument "${name}" must be a ${type}; got ${displayValue(args[name])}`,
      );
    }
  }
}

function invalid(tool: DashTool, argument: string, reason: string, problem: string, suggestions?: string[]) {
  const details = { tool: tool.name, argument, reason, known: suggestions };
  return new DashError('MCP_INVALID', `${tool.name}: ${problem}.`, details);
}
