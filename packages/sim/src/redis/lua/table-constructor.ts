import type { Expression, TableConstructorExpression } from 'luaparse';
import { type Context, endLine } from './context.ts';

/** How expressions are written: their file imports this one. */
export interface Writers {
  value(context: Context, expression: Expression): string;
  list(context: Context, expressions: readonly Expression[]): string;
}

/**
 * A table constructor. Fields with keys are stored at once, elements of the list at its end, as Lua does; the table begins with
 * room for those that are counted.
 */
export function writeTable(context: Context, table: TableConstructorExpression, writers: Writers): string {
  const elements = table.fields.filter(field => field.type === 'TableValue');
  const last = table.fields.at(-1);
  const isOpen = last?.type === 'TableValue' && context.isMultiple(last.value);
  const sizes = `${roundedSize(elements.length - Number(isOpen))}, ${roundedSize(table.fields.length - elements.length)}`;
  if (table.fields.length === 0) return 'new LuaTable()';
  if (elements.length === table.fields.length)
    return `listTable(${sizes}, ${writers.list(
      context,
      elements.map(({ value }) => value),
    )})`;
  const made = context.temporary();
  const steps = [`${made} = new LuaTable(${sizes})`];
  const list: string[] = [];
  for (const field of table.fields) {
    if (field.type === 'TableValue') {
      const stored = context.temporary();
      const isLast = isOpen && field === last;
      list.push(isLast ? `...${stored}` : stored);
      steps.push(
        `${stored} = ${isLast ? writers.list(context, [field.value]) : writers.value(context, field.value)}`,
      );
      continue;
    }
    const key =
      field.type === 'TableKeyString' ? JSON.stringify(field.key.name) : writers.value(context, field.key);
    const value = writers.value(context, field.value);
    steps.push(`setIndex(${made}, ${key}, ${value}, ${context.site(endLine(field.value))})`);
  }
  if (list.length > 0) steps.push(`storeList(${made}, [${list.join(', ')}])`);
  return `(${[...steps, made].join(', ')})`;
}

/** Sizes are stored as floating point bytes (luaO_int2fb): three bits of mantissa, rounded up. */
function roundedSize(size: number): number {
  let mantissa = size;
  let exponent = 0;
  while (mantissa >= 16) {
    mantissa = (mantissa + 1) >> 1;
    exponent++;
  }
  return mantissa * 2 ** exponent;
}
