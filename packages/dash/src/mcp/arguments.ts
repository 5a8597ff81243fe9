import { object, ShapeError } from '@msg/foundation/shape';
import { nearest } from '@msg/foundation/suggest';
import { display, displayValue } from '../document/display.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { Arguments, DashTool } from './tool.ts';

/** JSON Schema of a tool's arguments, for `tools/list`. */
export function inputSchema(tool: DashTool): JsonObject & { type: 'object' } {
  return object(tool.takes).schema({ written: false, closed: true }) as JsonObject & { type: 'object' };
}

/**
 * Reads the arguments of a tool. `ops` passes unchecked, even when absent: its errors are PATCH_INVALID, as over HTTP.
 * @throws DashError MCP_INVALID `{tool, argument, reason, known?}`.
 */
export function readArguments(tool: DashTool, args: Arguments): Arguments {
  try {
    return object(tool.takes).read('ops' in tool.takes ? { ops: undefined, ...args } : args, '') as Arguments;
  } catch (error) {
    throw error instanceof ShapeError ? argumentError(tool, error) : error;
  }
}

/**
 * Checks that exactly one of two arguments is given.
 * @throws DashError MCP_INVALID `{tool, argument, reason}`.
 */
export function requireOne(
  tool: string,
  argument: readonly [string, unknown],
  alternative: readonly [string, unknown],
): void {
  const [[name, value], [otherName, otherValue]] = [argument, alternative];
  if ((value === undefined) !== (otherValue === undefined)) return;
  const [reason, rule] =
    value === undefined
      ? ['missing', `is required, or "${otherName}"`]
      : ['twice', `is not allowed beside "${otherName}"`];
  const message = `${tool}: argument "${name}" ${rule}.`;
  throw new DashError('MCP_INVALID', message, { tool, argument: name, reason });
}

/** The error MCP_INVALID of an argument that works only beside another one. */
export function missingBeside(tool: string, argument: string, other: string): DashError {
  const message = `${tool}: argument "${argument}" is not allowed without "${other}".`;
  return new DashError('MCP_INVALID', message, { tool, argument, reason: 'missing', known: [other] });
}

function argumentError(
  tool: DashTool,
  { details: { problem, path: argument, expected, value, known } }: ShapeError,
) {
  const isUnknown = problem === 'unknown';
  const rule = isUnknown ? `does not exist; known: ${known?.join(', ') || 'none'}` : expected;
  const got = problem === 'type' ? `; got ${displayValue(value)}` : '';
  const details = {
    tool: tool.name,
    argument,
    reason: problem,
    known: isUnknown ? nearest(argument, known ?? []) : undefined,
  };
  return new DashError(
    'MCP_INVALID',
    `${tool.name}: argument "${display(argument)}" ${rule}${got}.`,
    details,
  );
}
