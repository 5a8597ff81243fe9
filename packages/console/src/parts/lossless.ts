/** A JSON value whose numbers keep their digits. */
export type JsonNode =
  | { readonly kind: 'string' | 'number' | 'atom'; readonly text: string }
  | {
      readonly kind: 'list' | 'object';
      readonly children: readonly (readonly [name: string, value: JsonNode])[];
    };

/** What the engine tells a reviver besides name and value. */
interface ReviverContext {
  readonly source?: string;
}

/** A number with the digits of its text. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The tree of a JSON text; undefined for another text. */
export function readJson(text: string): JsonNode | undefined {
  const keepDigits = (_name: string, value: unknown, context?: ReviverContext): unknown =>
    typeof value === 'number' ? new Digits(context?.source ?? String(value)) : value;
  try {
    return nodeOf(JSON.parse(text, keepDigits as (name: string, value: unknown) => unknown));
  } catch {
    return undefined;
  }
}

function nodeOf(value: unknown): JsonNode {
  if (value instanceof Digits) return { kind: 'number', text: value.text };
  if (typeof value === 'string') return { kind: 'string', text: JSON.stringify(value) };
  if (Array.isArray(value))
    return { kind: 'list', children: value.map((item, at) => [String(at), nodeOf(item)]) };
  if (typeof value === 'object' && value !== null)
    return { kind: 'object', children: Object.entries(value).map(([name, item]) => [name, nodeOf(item)]) };
  return { kind: 'atom', text: String(value) };
}
