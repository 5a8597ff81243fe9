import { defined } from '@msg/foundation/json';
import { nearest } from '@msg/foundation/suggest';
import { cutViolations, type Violation, violationsOf } from '../catalog/violations.ts';
import { didYouMean, display, displayValue } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { ResolvedSource } from './connections.ts';
import { type ResolvedItem, withDescendants } from './context.ts';
import { ErrorCollector } from './error-collector.ts';
import { KeySuggestions, RowChecks } from './row-checks.ts';
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
  item.resolved.binding = contractOf(item, connectionId, query as JsonObject | undefined);
  const checks = shared.get(connectionId);
  if (checks !== undefined) checkRows(item, checks, config, connectionId);
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
  if (Array.isArray(rows)) requireRowFields(item, new RowChecks(rows, suggestions), config, undefined);
}

function checkRows(item: ResolvedItem, checks: RowChecks, config: JsonObject, connectionId: string): void {
  const { validateResult, id } = item.linked.type;
  if (validateResult !== undefined) {
    const mismatches = checks.once(`type ${id}`, () =>
      validateResult(checks.rows) ? [] : violationsOf(validateResult),
    );
    if (mismatches.length > 0) throw shapeInvalid(item, mismatches, connectionId);
  }
  requireRowFields(item, checks, config, connectionId);
}

function requireRowFields(
  item: ResolvedItem,
  checks: RowChecks,
  config: JsonObject,
  connectionId: string | undefined,
): void {
  if (checks.objects.length === 0) return;
  const violations = item.linked.type.rowFields
    .filter(({ applies }) => applies === undefined || applies(config))
    .flatMap(({ path, cell }) => keysAt(config, path).flatMap(key => checks.violationsFor(cell, key)));
  const distinct = [...new Map(violations.map(violation => [JSON.stringify(violation), violation])).values()];
  if (distinct.length > 0) throw shapeInvalid(item, cutViolations(distinct), connectionId);
}

/** The row keys that a config names under `path`; `[]` means every element. */
function keysAt(config: JsonObject, path: string): string[] {
  let values: Json[] = [config];
  for (const step of path.split('.')) {
    const name = step.replace('[]', '');
    values = values
      .map(value => (isJsonObject(value) ? ownMember(value, name) : undefined))
      .filter(value => value !== undefined);
    if (step.endsWith('[]')) values = values.flatMap(value => (Array.isArray(value) ? value : []));
  }
  return values.filter(value => typeof value === 'string');
}

function shapeInvalid(
  { linked }: ResolvedItem,
  violations: readonly Violation[],
  connectionId: string | undefined,
): DashError {
  const why =
    violations[0] === undefined ? '' : `: ${display(violations[0].pointer)} ${violations[0].message}`;
  return new DashError(
    'RESULT_SHAPE_INVALID',
    `Rows of node "${linked.node.id}" must be as type "${linked.type.name}" says${why}.`,
    {
      path: linked.path,
      nodeId: linked.node.id,
      connectionId,
      violations,
    },
  );
}
