/**
 * The rules of one page that depend on its document. No element has a `style` attribute, which the policy of the page
 * forbids; a class is named after its rule, so that pictures made at different times can be mixed.
 */
export class StyleRules {
  readonly #wide = new Map<string, string>();
  readonly #all = new Map<string, string>();

  /** Class of a rule that holds where the page is wide enough for its grids. */
  wide(declarations: string): string {
    return add(this.#wide, declarations);
  }

  /** Class of a rule that always holds. */
  always(declarations: string): string {
    return add(this.#all, declarations);
  }

  /** All rules so far as a style sheet. */
  get text(): string {
    const wide = [...this.#wide].map(([name, rule]) => `.${name}{${rule}}`).join('');
    const all = [...this.#all].map(([name, rule]) => `.${name}{${rule}}`).join('');
    return wide === '' ? all : `${all}@container page (min-width:45rem){${wide}}`;
  }
}

function add(rules: Map<string, string>, declarations: string): string {
  const name = `x${hash(declarations)}`;
  rules.set(name, declarations);
  return name;
}

/** FNV-1a over UTF-16 units, twice with different starts: a name of 11 letters at most. */
function hash(text: string): string {
  return `${fnv(text, 0x811c9dc5).toString(36)}${fnv(text, 0x01000193).toString(36)}`.slice(0, 11);
}

function fnv(text: string, start: number): number {
  let value = start;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
