import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';

/**
 * How often a document uses a variable (`${name}`, `{"$var": name}`, in an expression, by a widget) or a connection (by a
 * bound item).
 */
export function referencesTo(document: JsonObject, scope: string, name: string): number {
  if (scope === '$connections')
    return countBelow(document, value => count(ownMember(value, 'connectionId') === name));
  const inTexts = countTexts(ownMember(document, 'root') ?? null, name);
  const inObjects = countBelow(document, value => {
    const reference = Object.keys(value).length === 1 && ownMember(value, '$var') === name;
    const config = ownMember(value, 'config');
    const widget = isJsonObject(config) && ownMember(config, 'variable') === name;
    return count(reference) + count(widget) + namesIn(ownMember(value, 'expr'), name);
  });
  return inTexts + inObjects;
}

function count(holds: boolean): number {
  return holds ? 1 : 0;
}

function countBelow(value: Json, of: (object: JsonObject) => number): number {
  if (typeof value !== 'object' || value === null) return 0;
  const here = isJsonObject(value) ? of(value) : 0;
  return Object.values(value).reduce((sum: number, member) => sum + countBelow(member, of), here);
}

function countTexts(value: Json, name: string): number {
  if (typeof value === 'string') return placesIn(value, name);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + countTexts(member, name), 0);
}

/** How often a text holds `${name}` without the escape `$${`, read once from left to right as interpolation reads it. */
export function placesIn(text: string, name: string): number {
  return countRenamed(renamedText, text, name);
}

/** How many places a renaming changes. */
function countRenamed(rename: typeof renamedText, text: string, name: string): number {
  let places = 0;
  rename(text, name, () => {
    places++;
    return name;
  });
  return places;
}

/** A text with `${name}` renamed; `next` gives the new name for each place. */
export function renamedText(text: string, name: string, next: () => string): string {
  let renamed = '';
  let from = 0;
  for (let open = text.indexOf('${'); open >= 0; open = text.indexOf('${', from)) {
    const close = text.indexOf('}', open);
    if (close < 0) break;
    const isEscaped = open > from && text[open - 1] === '$';
    const isPlace = !isEscaped && text.slice(open + 2, close).trim() === name;
    const end = isEscaped ? open + 2 : close + 1;
    renamed += isPlace ? `${text.slice(from, open)}\${${next()}}` : text.slice(from, end);
    from = end;
  }
  return renamed + text.slice(from);
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;

/** How often an expression names a variable. */
export function namesIn(expr: Json | undefined, name: string): number {
  return typeof expr === 'string' ? countRenamed(renamedExpression, expr, name) : 0;
}

/** An expression with its identifiers `name` renamed, outside its texts; a name behind a dot is a member. */
export function renamedExpression(expr: string, name: string, next: () => string): string {
  let renamed = '';
  for (let at = 0; at < expr.length; ) {
    NAME.lastIndex = at;
    const [word = ''] = NAME.exec(expr) ?? [];
    const character = expr[at] ?? '';
    const isQuote = character === '"' || character === "'";
    const end = word === '' ? (isQuote ? afterText(expr, at) : at + 1) : at + word.length;
    renamed += word === name && expr[at - 1] !== '.' ? next() : expr.slice(at, end);
    at = end;
  }
  return renamed;
}

/** Behind the text that starts at `quote`. */
function afterText(expr: string, quote: number): number {
  let at = quote + 1;
  while (at < expr.length && expr[at] !== expr[quote]) at += expr[at] === '\\' ? 2 : 1;
  return at + 1;
}
