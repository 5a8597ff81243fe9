import { endOfValue, membersOf } from './json-text.ts';

/** A JSON value whose numbers keep their digits. */
export type JsonNode =
  | { readonly kind: 'string' | 'number' | 'atom'; readonly text: string }
  | {
      readonly kind: 'list' | 'object';
      readonly size: number;
      /** The first so many members: only those that the page shows are made. */
      first(count: number): readonly (readonly [name: string, value: JsonNode])[];
    };

/** The tree of a JSON text; undefined for another text. */
export function readJson(text: string): JsonNode | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return nodeAt(text, text.search(/[^ \t\r\n]/));
}

function nodeAt(text: string, start: number): JsonNode {
  const first = text[start];
  if (first === '{' || first === '[') return branchAt(text, start, first === '[');
  const source = text.slice(start, endOfValue(text, start));
  // As short as it can be written.
  if (first === '"') return { kind: 'string', text: JSON.stringify(JSON.parse(source)) };
  return { kind: /^[tfn]/.test(source) ? 'atom' : 'number', text: source };
}

function branchAt(text: string, start: number, isList: boolean): JsonNode {
  const { names, values } = membersOf(text, start);
  const nameOf = (at: number): string => {
    const from = names[at];
    return from === undefined ? String(at) : JSON.parse(text.slice(from, endOfValue(text, from)));
  };
  return {
    kind: isList ? 'list' : 'object',
    size: values.length,
    first: count => values.slice(0, count).map((from, at) => [nameOf(at), nodeAt(text, from)]),
  };
}
