import { isJsonObject, type Json, ownMember } from '../document/json.ts';
import type { DataRows, DataSourceKind, Row } from './contract.ts';

/** Rows that stand in the document; a query does not change them (dashboard details 7.1). */
export const STATIC: DataSourceKind = {
  type: 'static',
  atHand: true,
  timed: false,
  open: () => ({
    ask({ connection: { config = {} } }): DataRows {
      const rows = listOf(ownMember(config, 'rows')).filter(isJsonObject) as Row[];
      const declared = listOf(ownMember(config, 'columns')).filter(name => typeof name === 'string');
      return { columns: declared.length > 0 ? declared : keysOf(rows), rows };
    },
  }),
};

/** The keys of all rows, sorted: what a bound table without columns shows (dashboard details 5.3). */
function keysOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(row => Object.keys(row)))].sort();
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
