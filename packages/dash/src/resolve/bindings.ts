import type { RowField } from '#src/catalog/types.ts';
import { cutViolations, MOST_VIOLATIONS, type Violation, violationsOf } from '#src/catalog/violations.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '#src/document/json.ts';
import { nearest } from '#src/document/nearest.ts';
import { formatPointer } from '#src/document/pointer.ts';
import { DashError } from '#src/errors.ts';
import type { WorkedConnection } from './connections.ts';
import { type WorkedNode, withDescendants } from './context.ts';
import { Faults } from './faults.ts';
import type { ResolvedBinding } from './tree.ts';

const LONGEST_LIST = 50;

/** Stage 8 (dashboard details 7.3 and 7.4). @throws DashError BINDING_*, CONTRACT_MISSING, RESULT_SHAPE_INVALID. */
export function bindNodes(root: WorkedNode, connections: ReadonlyMap<string, WorkedConnection>): void {
  const faults = new Faults();
  const shared = new Map<string, RowChecks>();
  for (const [id, { rows }] of connections) if (rows !== undefined) shared.set(id, new RowChecks(rows));
  for (const worked of withDescendants(root)) faults.attempt(() => bindNode(worked, connections, shared));
  faults.settle();
}

/** What was found about one list of rows, so that it is looked at once however many nodes draw it. */
class RowChecks {
  readonly rows: readonly Json[];
  /** The rows when all are objects; otherwise none, as no key can be looked for. */
  readonly objects: readonly JsonObject[];
  private readonly found = new Map<string, readonly Violation[]>();

  constructor(rows: readonly Json[]) {
    this.rows = rows;
    this.objects = rows.every(isJsonObject) ? rows : [];
  }

  once(check: string, look: () => readonly Violation[]): readonly Violation[] {
    const violations = this.found.get(check) ?? look();
    this.found.set(check, violations);
    return violations;
  }
}

function bindNode(
  worked: WorkedNode,
  connections: ReadonlyMap<string, WorkedConnection>,
  shared: ReadonlyMap<string, RowChecks>,
): void {
  const config = worked.resolved.config ?? {};
  const connectionId = ownMember(config, 'connectionId');
  const query = ownMember(config, 'query');
  if (connectionId === undefined && query === undefined) {
    checkOwnRows(worked, config);
    return;
  }
  const at = { path: worked.linked.path, nodeId: worked.resolved.id };
  if (
    typeof connectionId !== 'string' ||
    connectionId === '' ||
    (query !== undefined && !isJsonObject(query))
  ) {
    const message = `"${at.nodeId}" needs a connectionId that is text, and a query only beside it.`;
    throw new DashError('BINDING_INVALID', message, at);
  }
  const connection = connections.get(connectionId);
  if (connection === undefined) {
    const known = nearest(connectionId, [...connections.keys()]);
    const message = `"${at.nodeId}" is bound to an unknown connection "${connectionId.slice(0, 200)}".`;
    throw new DashError('BINDING_CONNECTION_NOT_FOUND', message, { ...at, connectionId, known });
  }
  worked.resolved.binding = contractOf(worked, connectionId, query as JsonObject | undefined);
  const checks = shared.get(connectionId);
  if (checks !== undefined) checkRows(worked, checks, config, connectionId);
}

function contractOf(
  { linked }: WorkedNode,
  connectionId: string,
  query: JsonObject | undefined,
): ResolvedBinding {
  const { expectedResult, name } = linked.type;
  if (expectedResult === undefined) {
    const details = { path: linked.path, nodeId: linked.node.id, type: name };
    throw new DashError(
      'CONTRACT_MISSING',
      `The type ${name} declares no expected result, so nothing can be bound.`,
      details,
    );
  }
  return {
    connectionId,
    ...(query === undefined ? {} : { query }),
    contract: { itemType: name, connectionId, expectedResult },
  };
}

function checkOwnRows(worked: WorkedNode, config: JsonObject): void {
  const rows = ownMember(config, 'rows');
  if (Array.isArray(rows)) requireRowFields(worked, new RowChecks(rows), config, undefined);
}

function checkRows(worked: WorkedNode, checks: RowChecks, config: JsonObject, connectionId: string): void {
  const { validateResult, id } = worked.linked.type;
  if (validateResult !== undefined) {
    const misfits = checks.once(`type ${id}`, () =>
      validateResult(checks.rows) ? [] : violationsOf(validateResult),
    );
    if (misfits.length > 0) throw shapeInvalid(worked, misfits, connectionId);
  }
  requireRowFields(worked, checks, config, connectionId);
}

function requireRowFields(
  worked: WorkedNode,
  checks: RowChecks,
  config: JsonObject,
  connectionId: string | undefined,
): void {
  if (checks.objects.length === 0) return;
  const violations = worked.linked.type.rowFields
    .filter(({ applies }) => applies === undefined || applies(config))
    .flatMap(({ path, cell }) =>
      keysAt(config, path).flatMap(key =>
        checks.once(`${cell} ${key}`, () => faultsOf(cell, key, checks.objects)),
      ),
    );
  const distinct = [...new Map(violations.map(violation => [JSON.stringify(violation), violation])).values()];
  if (distinct.length > 0) throw shapeInvalid(worked, cutViolations(distinct), connectionId);
}

/** The row keys that a config names under `path`; `[]` means every element. */
function keysAt(config: JsonObject, path: string): string[] {
  let found: Json[] = [config];
  for (const step of path.split('.')) {
    const name = step.replace('[]', '');
    found = found
      .map(value => (isJsonObject(value) ? ownMember(value, name) : undefined))
      .filter(value => value !== undefined);
    if (step.endsWith('[]')) found = found.flatMap(value => (Array.isArray(value) ? value : []));
  }
  return found.filter(value => typeof value === 'string');
}

/** At most as many as are reported. */
function faultsOf(cell: RowField['cell'], key: string, rows: readonly JsonObject[]): Violation[] {
  if (!rows.some(row => Object.hasOwn(row, key))) {
    const present = nearest(key, [...new Set(rows.flatMap(row => Object.keys(row)))]).slice(0, LONGEST_LIST);
    const message = `no row has the key "${key}"; there is ${present.map(name => `"${name}"`).join(', ')}`;
    return [{ pointer: '', keyword: 'rowFields', message }];
  }
  const faults: Violation[] = [];
  if (cell === 'any') return faults;
  const wanted = cell === 'number' ? 'a number' : 'a number of at least 0';
  for (const [index, row] of rows.entries()) {
    const value = ownMember(row, key) ?? null;
    if (value === null || (typeof value === 'number' && (cell === 'number' || value >= 0))) continue;
    const pointer = formatPointer([String(index), key]);
    faults.push({ pointer, keyword: 'rowFields', message: `"${key}" must be ${wanted} or null` });
    if (faults.length === MOST_VIOLATIONS) break;
  }
  return faults;
}

function shapeInvalid(
  { linked }: WorkedNode,
  violations: readonly Violation[],
  connectionId: string | undefined,
): DashError {
  const why = violations[0] === undefined ? '' : `: ${violations[0].pointer} ${violations[0].message}`;
  return new DashError(
    'RESULT_SHAPE_INVALID',
    `The rows of "${linked.node.id}" do not fit ${linked.type.name}${why}.`,
    {
      path: linked.path,
      nodeId: linked.node.id,
      ...(connectionId === undefined ? {} : { connectionId }),
      violations,
    },
  );
}
