import type { DataRows } from '../../data/contract.ts';
import { isJsonObject, type Json, ownMember } from '../../document/json.ts';
import type { ResolvedNode } from '../../resolve/tree.ts';
import { textMember } from '../context.ts';
import { memberOf } from './leaf.ts';

/** A column of a table on the page. */
interface TableColumn {
  /** Absent over inline rows without `columns`, which have no header. */
  readonly header?: string;
  readonly align?: string;
}

/** A table as the page and the CSV file show it. */
export interface TableCells {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly Json[])[];
}

/**
 * The cells of a table: of a bound one under the row keys that its columns name, else under the columns of the
 * connection; of an unbound one its own rows (dashboard details 5.3).
 */
export function tableCells(node: ResolvedNode, data: DataRows | undefined): TableCells {
  const declared = listOf(memberOf(node, 'columns')).filter(isJsonObject);
  const columns = declared.map(column => ({
    header: textMember(column, 'header') ?? '',
    align: textMember(column, 'align') ?? '',
    key: textMember(column, 'field') ?? textMember(column, 'header') ?? '',
  }));
  if (node.binding === undefined)
    return { columns, rows: listOf(memberOf(node, 'rows')).filter(Array.isArray) };
  if (data === undefined) return { columns, rows: [] };
  const shown = columns.length > 0 ? columns : data.columns.map(key => ({ header: key, align: '', key }));
  const rows = data.rows.map(row => shown.map(({ key }) => ownMember(row, key) ?? null));
  return { columns: shown, rows };
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
