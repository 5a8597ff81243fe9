import { defined } from '@msg/foundation/json';
import { nearest } from '@msg/foundation/suggest';
import { violationsOf } from '../catalog/violations.ts';
import { didYouMean, display, displayValue } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { ResolvedSource } from './connections.ts';
import { type ResolvedItem, withDescendants } from './context.ts';
import { ErrorCollector } from './error-collector.ts';
import { KeySuggestions, RowChecks } from './row-checks.ts';
import { rowFieldsError, shapeError } from './row-contract.ts';
import type { ResolvedBinding } from './tree.ts';

/** Stage 8 (dashboard details 7.3 and 7.4). @throws DashError BINDING_*, CONTRACT_MISSING, RESULT_SHAPE_INVALID. */
export function bindNodes(root: ResolvedItem, connections: ReadonlyMap<string, ResolvedSource>): void {
  const errors = new ErrorCollector();
  const suggestions = new KeySuggestions();
  const shared = new Map<string, RowChecks>();
  for (const [id, { rows }] of connections) {
    if (rows !== undefined) shared.set(id, new RowChecks(rows, suggestions));
  }
  for (const item of withDescendants(root)) {
    errors.check(() => bindNode(item, connections, shared, suggestions));
  }
  errors.throwIfAny();
}

function bindNode(
  item: ResolvedItem,
  connections: ReadonlyMap<string, ResolvedSource>,
  shared: ReadonlyMap<string, RowChecks>,
  suggestions: KeySuggestions,
): void {
  const config = item.resolved.config ?? {};
  const connectionId = ownMember(config, 'connectionId');
  const query = ownMember(config, 'query');
  if (connectionId === undefined && query === undefined) {
    checkOwnRows(item, config, suggestions);
    return;
  }
  const at = { path: item.linked.path, nodeId: item.resolved.id };
  if (
    typeof connectionId !== 'string' ||
    connectionId === '' ||
    (query !== undefined && !isJsonObject(query))
  ) {
    const message = `Node "${at.nodeId}": connectionId must be a text, and query an object beside it; got ${displayValue(connectionId)}.`;
    throw new DashError('BINDING_INVALID', message, at);
  }
  const connection = connections.get(connectionId);
  if (connection === undefined) {
    const suggestions = nearest(connectionId, [...connections.keys()]);
    const message = `Connection "${display(connectionId)}" of node "${at.nodeId}" does not exist${didYouMean(suggestions)}`;
    throw new DashError('BINDING_CONNECTION_NOT_FOUND', message, { ...at, connectionId, known: suggestions });
  }
  requireLiteral(connection, ownMember(item.linked.node.config ?? {}, 'query'), at);
  requireQuery(connection, query ?? {}, connectionId, at);
  item.resolved.binding = contractOf(item, connectionId, query as JsonObject | undefined);
  const checks = shared.get(connectionId);
  if (checks !== undefined) checkRows(item, checks, config, connectionId);
}

/** A statement is sent as it is stored: what is put into its text could change what it says (page and review 5.5). */
function requireLiteral(
  { literalQuery = [], resolved }: ResolvedSource,
  stored: Json | undefined,
  at: { readonly path: string; readonly nodeId: string },
): void {
  if (stored === undefined || literalQuery.length === 0) return;
  const reason = 'sql_interpolation';
  for (const member of literalQuery) {
    const value = isJsonObject(stored) ? ownMember(stored, member) : stored;
    if (value === undefined || (typeof value === 'string' && !value.includes('${'))) continue;
    const { type, id } = resolved;
    const message = `Query of node "${at.nodeId}" must hold no variable in "${member}", because connection type "${type.name}" sends it as it is; put variables into params and write $1.`;
    throw new DashError('BINDING_INVALID', message, { ...at, connectionId: id, reason, member });
  }
}

/** The query as the type of its connection wants it (page and review 5.2). */
function requireQuery(
  { validateQuery, resolved }: ResolvedSource,
  query: Json,
  connectionId: string,
  at: { readonly path: string; readonly nodeId: string },
): void {
  if (validateQuery === undefined || validateQuery(query)) return;
  const violations = violationsOf(validateQuery);
  const why =
    violations[0] === undefined
      ? ''
      : `: ${display(`${violations[0].pointer} ${violations[0].message}`.trim())}`;
  const message = `Query of node "${at.nodeId}" must be as connection type "${resolved.type.name}" says${why}.`;
  throw new DashError('BINDING_INVALID', message, { ...at, connectionId, violations });
}

function contractOf(
  { linked }: ResolvedItem,
  connectionId: string,
  query: JsonObject | undefined,
): ResolvedBinding {
  const { expectedResult, name } = linked.type;
  if (expectedResult === undefined) {
    const details = { path: linked.path, nodeId: linked.node.id, type: name };
    throw new DashError(
      'CONTRACT_MISSING',
      `Binding on node "${linked.node.id}" is not allowed: type "${name}" declares no expected result.`,
      details,
    );
  }
  return defined({ connectionId, query, contract: { itemType: name, connectionId, expectedResult } });
}

function checkOwnRows(item: ResolvedItem, config: JsonObject, suggestions: KeySuggestions): void {
  const rows = ownMember(config, 'rows');
  if (!Array.isArray(rows)) return;
  const at = { path: item.linked.path, nodeId: item.resolved.id, connectionId: undefined };
  const error = rowFieldsError(item.linked.type, new RowChecks(rows, suggestions), config, at);
  if (error !== undefined) throw error;
}

function checkRows(
  { linked, resolved }: ResolvedItem,
  checks: RowChecks,
  config: JsonObject,
  connectionId: string,
): void {
  const at = { path: linked.path, nodeId: resolved.id, connectionId };
  const error = shapeError(linked.type, checks, at) ?? rowFieldsError(linked.type, checks, config, at);
  if (error !== undefined) throw error;
}
