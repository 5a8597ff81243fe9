import type { Json, JsonObject } from '../document/json.ts';
import type { ImportContext } from './context.ts';
import type { PanelQuery } from './panel-query.ts';
import { referencesIn } from './references.ts';
import type { TargetSource } from './source.ts';

/** A reference to a variable, with the quotes around it. */
const PARAMETER =
  /'\$\{(\w+)(?::\w+)?\}'|'\$(\w+)'|'\[\[(\w+)\]\]'|\$\{(\w+)(?::\w+)?\}|\$([A-Za-z_]\w*)|\[\[(\w+)\]\]/g;
const MACRO = /\$__\w+/;
const MOST_PARAMETERS = 100;

/** The statement of a panel: its variables are parameters. @returns the reason where it cannot be asked. */
export function sqlQuery(
  connectionId: string,
  targets: readonly TargetSource[],
  { report, variables }: ImportContext,
): PanelQuery | string {
  const [target, ...others] = targets;
  if (target === undefined) return 'the panel asks nothing';
  for (const other of others) report.lose(other.whole, 'an item asks one statement');
  const raw = target.spec.at('rawSql');
  const text = raw.text ?? '';
  const refuse = (why: string): string => {
    report.lose(target.whole, why);
    return why;
  };
  if (MACRO.test(text)) return refuse('dash has no macros: write the statement without $__…');
  const unfit = referencesIn(text).find(name => !/^\d*$/.test(name) && !isPlain(name, variables));
  if (unfit !== undefined) return refuse(`${unfit.slice(0, 60)} is not a variable with one value`);
  const params: Json[] = [];
  const statement = text.replace(PARAMETER, (_, ...groups: (string | undefined)[]) => {
    const name = variables.names.get(groups.slice(0, 6).find(group => group !== undefined) ?? '') ?? '';
    params.push({ $var: name });
    return `$${params.length}`;
  });
  if (statement.includes('${') || params.length > MOST_PARAMETERS)
    return refuse('its variables cannot be parameters');
  const query: JsonObject = { text: statement };
  if (params.length > 0) query['params'] = params;
  if (statement === text) report.keep(raw, query, 'text');
  else report.change(raw, 'variables are parameters of the statement', query, 'text');
  const keys = columnsOf(statement);
  const time = keys?.find(key => key.toLowerCase() === 'time') ?? keys?.[0];
  const metric = keys?.find(key => key.toLowerCase() === 'metric');
  const value = keys?.find(key => key !== time && key !== metric);
  return {
    connectionId,
    query,
    x: time ?? '',
    value: value ?? '',
    by: metric,
    name: metric === undefined ? value : undefined,
    isMoment: false,
    areKeysKnown: time !== undefined && value !== undefined,
  };
}

function isPlain(name: string, { names, patterns }: ImportContext['variables']): boolean {
  const variable = names.get(name);
  return variable !== undefined && !patterns.has(variable);
}

/** Names of the columns between SELECT and FROM; undefined where one cannot be told. */
function columnsOf(statement: string): string[] | undefined {
  const parts = selectList(statement);
  const names = parts?.map(columnName);
  return names?.every(name => name !== undefined) === true ? names : undefined;
}

/** The texts between the commas of the outermost select list. */
function selectList(statement: string): string[] | undefined {
  if (!/^\s*select\b/i.test(statement)) return undefined;
  const parts: string[] = [''];
  let depth = 0;
  for (const [token] of statement
    .trim()
    .slice('select'.length)
    .matchAll(/'[^']*'|"[^"]*"|\w+|[^\w'"]|['"]/g)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth === 0 && /^from$/i.test(token)) return parts;
    if (depth === 0 && token === ',') parts.push('');
    else parts.push(`${parts.pop() ?? ''}${token}`);
  }
  return parts;
}

/** The name of a column: behind AS, or the column itself. */
function columnName(part: string): string | undefined {
  const text = part.trim();
  const named =
    /\bas\s+(?:"([^"]+)"|([A-Za-z_]\w*))$/i.exec(text) ??
    /^(?:\w+\.)?(?:"([^"]+)"|([A-Za-z_]\w*))$/.exec(text);
  const quoted = named?.[1];
  return quoted ?? named?.[2]?.toLowerCase();
}
