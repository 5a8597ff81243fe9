import type { JsonObject } from '#src/document/json.ts';
import { nearest } from '#src/document/nearest.ts';
import { DashError } from '#src/errors.ts';
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
 * Checks arguments against what the tool takes. `ops` passes as it is: its faults are PATCH_INVALID, as over HTTP.
 *
 * @throws DashError MCP_INVALID `{tool, argument, reason, known?}`.
 */
export function requireArguments(tool: DashTool, args: Arguments): void {
  for (const name of Object.keys(args)) {
    if (Object.hasOwn(tool.takes, name)) continue;
    const known = nearest(name, Object.keys(tool.takes));
    throw invalid(tool, name.slice(0, 200), 'unknown', `takes no argument "${name.slice(0, 200)}"`, known);
  }
  for (const [name, { type, required }] of Object.entries(tool.takes)) {
    if (type === 'changeset') continue;
    if (!Object.hasOwn(args, name)) {
      if (required) throw invalid(tool, name, 'missing', `needs the argument "${name}"`);
    } else if (typeof args[name] !== type) {
      throw invalid(tool, name, 'type', `takes a ${type} as "${name}"`);
    }
  }
}

function invalid(tool: DashTool, argument: string, reason: string, fault: string, known?: string[]) {
  const details = { tool: tool.name, argument, reason, ...(known === undefined ? {} : { known }) };
  return new DashError('MCP_INVALID', `${tool.name} ${fault}.`, details);
}
