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
  if (typeof value === 'string') {
    return [...value.matchAll(/(?<!\$)\$\{([^}]*)\}/g)].filter(([, inner]) => inner?.trim() === name).length;
  }
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + countTexts(member, name), 0);
}

/** Identifiers of an expression outside its texts. */
function namesIn(expr: Json | undefined, name: string): number {
  if (typeof expr !== 'string') return 0;
  const bare = expr.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, '');
  return (bare.match(/(?<![.\w])[A-Za-z_]\w*/g) ?? []).filter(word => word === name).length;
}
