import type { PostgresSql } from '../contract.ts';

/** The single value of a statement's single row; applications may have renamed the column. */
export async function queryValue(
  sql: PostgresSql,
  text: string,
  params: (string | number | boolean | null)[] = [],
): Promise<unknown> {
  const [row] = await sql.unsafe(text, params);
  return row === undefined ? undefined : Object.values(row)[0];
}

/** The JSON value that a statement answers as text. */
export async function queryJson(
  sql: PostgresSql,
  text: string,
  params: (string | number | boolean | null)[] = [],
): Promise<unknown> {
  const value = await queryValue(sql, text, params);
  return typeof value === 'string' ? JSON.parse(value) : undefined;
}
