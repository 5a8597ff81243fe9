import type { SchemaPattern } from '@msg/core/internal';

/** Words in capital letters (messaging details, section 15). */
const INITIALISMS = new Set(
  'id url uri api http https json ip tcp udp uuid rpc sql html xml acl dns tls ssh ttl sse ws io os'.split(
    ' ',
  ),
);

/** `order-id` → `OrderID`; empty when nothing alphanumeric is in it. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .filter(word => word !== '')
    .map(word => {
      const lower = word.toLowerCase();
      return INITIALISMS.has(lower) ? word.toUpperCase() : lower.charAt(0).toUpperCase() + lower.slice(1);
    })
    .join('');
}

function notDigitFirst(name: string): string {
  return /^[0-9]/.test(name) ? `_${name}` : name;
}

/** The prefix of a pattern's names: its literals, or the whole pattern without literals. */
export function baseName({ text, tokens }: SchemaPattern): string {
  const literals = tokens.flatMap(token => (token.kind === 'literal' ? [token.text] : []));
  const base = literals.map(pascalCase).join('');
  return notDigitFirst(base === '' ? `Pattern${text.replace(/[^A-Za-z0-9]/g, '_')}` : base);
}

/** Makes names unique: the second use of a name gets the suffix 2, the third the suffix 3. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  take(wanted: string, isFree: (name: string) => boolean = () => true): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name) || !isFree(name); count++) name = `${wanted}${count}`;
    this.#taken.add(name);
    return name;
  }
}

/** A parameter's name: the placeholder's name, if the language allows it. */
export function parameterName(text: string, reserved: ReadonlySet<string>): string {
  const name = notDigitFirst(text.replace(/[^A-Za-z0-9_]/g, '_'));
  return reserved.has(name) ? `${name}_` : name;
}
