import { isJsonObject, type Json, type JsonObject, setMember } from '../document/json.ts';

/** Keywords that a reader who builds a node can do without (review details 7.1). */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['title', 'description', '$comment', '$schema'],
  ...['behavior', 'configurable', 'expectedResult', 'rowFields', 'documentScopes'],
]);
/** Keywords whose members are names of the author, each with a schema. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
/** Keywords with data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['examples', 'default', 'const', 'enum', 'required']);

/** A schema without annotation keywords, titles and descriptions; its examples stay. */
export function briefSchema(schema: JsonObject): JsonObject {
  const brief: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!LEFT_OUT.has(keyword))
      setMember(brief, keyword, DATA.has(keyword) ? value : brieflyAt(keyword, value));
  }
  return brief;
}

function brieflyAt(keyword: string, value: Json): Json {
  if (Array.isArray(value)) return value.map(item => (isJsonObject(item) ? briefSchema(item) : item));
  if (!isJsonObject(value)) return value;
  if (!NAMED.has(keyword)) return briefSchema(value);
  const named: JsonObject = {};
  for (const [name, below] of Object.entries(value)) {
    setMember(named, name, isJsonObject(below) ? briefSchema(below) : below);
  }
  return named;
}
