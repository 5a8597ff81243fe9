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

/** `${name}` without the escape `$${`, read once from left to right as interpolation reads it. */
function placesIn(text: string, name: string): number {
  let places = 0;
  let from = 0;
  for (let open = text.indexOf('${'); open >= 0; open = text.indexOf('${', from)) {
    const close = text.indexOf('}', open);
    if (close < 0) return places;
    const isEscaped = open > from && text[open - 1] === '$';
    if (!isEscaped && text.slice(open + 2, close).trim() === name) places++;
    from = isEscaped ? open + 2 : close + 1;
  }
  return places;
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;

/** Identifiers of an expression outside its texts; a name behind a dot is a member. */
function namesIn(expr: Json | undefined, name: string): number {
  if (typeof expr !== 'string') return 0;
  let names = 0;
  for (let at = 0; at < expr.length; ) {
    NAME.lastIndex = at;
    const [word = ''] = NAME.exec(expr) ?? [];
    if (word === name && expr[at - 1] !== '.') names++;
    const character = expr[at] ?? '';
    if (word !== '') at += word.length;
    else at = character === '"' || character === "'" ? afterText(expr, at) : at + 1;
  }
  return names;
}

/** Behind the text that starts at `quote`. */
function afterText(expr: string, quote: number): number {
  let at = quote + 1;
  while (at < expr.length && expr[at] !== expr[quote]) at += expr[at] === '\\' ? 2 : 1;
  return at + 1;
}
