import { isJsonObject, type Json, ownMember } from '../../document/json.ts';
import type { ResolvedConnection } from '../../resolve/tree.ts';
import type { DataRows, Row } from '../contract.ts';
import type { DataSource, DataSourceKind } from '../source.ts';

/** Rows that stand in the document; a query does not change them (dashboard details 7.1). */
export const STATIC: DataSourceKind = { type: 'static', atHand: true, timed: false, open: staticSource };

/** Reads the rows of a connection once, however many items show them. */
function staticSource(): DataSource {
  const read = new WeakMap<ResolvedConnection, DataRows>();
  return {
    ask({ connection }) {
      const data = read.get(connection) ?? rowsOf(connection);
      read.set(connection, data);
      return data;
    },
  };
}

function rowsOf({ config = {} }: ResolvedConnection): DataRows {
  const rows = listOf(ownMember(config, 'rows')).filter(isJsonObject) as Row[];
  const declared = listOf(ownMember(config, 'columns')).filter(name => typeof name === 'string');
  return { columns: declared.length > 0 ? declared : keysOf(rows), rows };
}

/** The keys of all rows, sorted: what a bound table without columns shows (dashboard details 5.3). */
function keysOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(row => Object.keys(row)))].sort();
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
