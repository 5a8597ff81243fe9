import type { Catalog } from '../../catalog/types.ts';
import type { DataRows, ItemData, Row } from '../../data/contract.ts';
import { isJsonObject, type Json, type JsonObject, scalarOf, setMember } from '../../document/json.ts';
import type { ResolvedNode } from '../../resolve/tree.ts';

/** A bound item, and what is known about its rows; `data` is undefined for an item that was not asked. */
export interface FrozenItem {
  readonly node: ResolvedNode;
  readonly data: ItemData | undefined;
}

/**
 * A document whose items have their rows in it: each connection is a `static` one with the rows of one query, and no
 * address, query or secret of another is left (page and review 6).
 */
export function frozenDocument(
  document: JsonObject,
  items: readonly FrozenItem[],
  catalog: Catalog,
): JsonObject {
  const connections = new FrozenConnections(catalog);
  const ids = new Map(items.map(item => [item.node.id, connections.of(item)]));
  const frozen: JsonObject = {};
  for (const [name, member] of Object.entries(document)) {
    if (name === 'connections') continue;
    frozen[name] = name === 'root' ? frozenNode(member, ids) : member;
  }
  if (connections.list.length > 0) frozen['connections'] = connections.list;
  return frozen;
}

/** One static connection for each distinct query. */
class FrozenConnections {
  readonly list: JsonObject[] = [];
  readonly #catalog: Catalog;
  readonly #ids = new Map<string, string>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  of({ node, data }: FrozenItem): string {
    const rows = data !== undefined && 'data' in data ? data.data : undefined;
    const cells = (rows?.rows ?? []).map(scalarCells);
    const isStrict = this.#refusesNull(node, cells);
    const key = JSON.stringify([node.binding?.connectionId, node.binding?.query ?? null, isStrict]);
    const earlier = this.#ids.get(key);
    if (earlier !== undefined) return earlier;
    const id = `rows-${this.list.length + 1}`;
    this.#ids.set(key, id);
    this.list.push({ id, type: 'static', config: configOf(rows, isStrict ? cells.flatMap(filled) : cells) });
    return id;
  }

  /** True for an item of a type that a cell without a value does not fit. */
  #refusesNull({ type }: ResolvedNode, rows: readonly JsonObject[]): boolean {
    const version = this.#catalog.items.get(type.name)?.find(({ id }) => id === type.id);
    return version?.validateResult?.(rows) === false;
  }
}

function configOf(data: DataRows | undefined, rows: JsonObject[]): JsonObject {
  const columns = data?.columns ?? [];
  const isComplete =
    columns.length > 0 && rows.every(row => Object.keys(row).every(key => columns.includes(key)));
  return isComplete ? { columns: [...columns], rows } : { rows };
}

/** Cells of a static connection are scalars. */
function scalarCells(row: Row): JsonObject {
  const cells: JsonObject = {};
  for (const [key, cell] of Object.entries(row)) setMember(cells, key, scalarOf(cell));
  return cells;
}

/** A row without its empty cells; none for a row of nothing else. */
function filled(row: JsonObject): JsonObject[] {
  const cells = Object.entries(row).filter(([, cell]) => cell !== null);
  return cells.length === 0 ? [] : [Object.fromEntries(cells)];
}

/** A copy of a node, and of all nodes in it, bound to the frozen connections. */
function frozenNode(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map(item => frozenNode(item, ids));
  if (!isJsonObject(value)) return value;
  const { id, config } = value;
  const connection = typeof id === 'string' ? ids.get(id) : undefined;
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const isConfig = name === 'config' && isJsonObject(config) && connection !== undefined;
    setMember(copy, name, isConfig ? bound(config, connection) : frozenNode(member, ids));
  }
  return copy;
}

function bound({ query: _, ...config }: JsonObject, connectionId: string): JsonObject {
  return { ...config, connectionId };
}
