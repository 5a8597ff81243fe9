import { isRecord } from './record.ts';

/** Path segment for every element of an array. */
export const EACH = '*';

/** A JSON value with its original text: forms of numbers, order and repetition of members, escapes. */
export class JsonSource {
  /** One valid JSON value, without white space around it. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The parsed value, for JSON writers; the form of the text is lost. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/**
 * Replaces the value at `path` in `value`, the result of `JSON.parse(text)`, by a {@link JsonSource}, in place. Of
 * repeated members the last counts, as for the parser. Returns false, without reading the text, for a path that does not
 * exist.
 */
export function keepSource(text: string, value: unknown, path: readonly string[]): boolean {
  if (!leadsSomewhere(value, path, 0)) return false;
  new SourceReader(text, path).read(value, 0);
  return true;
}

function leadsSomewhere(value: unknown, path: readonly string[], depth: number): boolean {
  const step = path[depth];
  if (step === undefined) return value !== undefined;
  if (step === EACH) return Array.isArray(value) && value.some(item => leadsSomewhere(item, path, depth + 1));
  if (!isRecord(value)) return false;
  const member = value[step];
  return member !== undefined && Object.hasOwn(value, step) && leadsSomewhere(member, path, depth + 1);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

/** Walks over valid JSON text together with its parsed value. */
class SourceReader {
  readonly #text: string;
  readonly #path: readonly string[];
  #at = 0;

  constructor(text: string, path: readonly string[]) {
    this.#text = text;
    this.#path = path;
  }

  /** Walks over the next value and returns its replacement. */
  read(value: unknown, depth: number): unknown {
    this.#skipSpace();
    const start = this.#at;
    const step = this.#path[depth];
    if (step === undefined) {
      this.#skipValue();
      return new JsonSource(this.#text.slice(start, this.#at));
    }
    if (step === EACH && Array.isArray(value)) this.#readElements(value, depth);
    else if (step !== EACH && isRecord(value)) {
      this.#readMembers(value as Record<string, unknown>, step, depth); // the parser's own object
    } else this.#skipValue();
    return value;
  }

  #readElements(items: unknown[], depth: number): void {
    this.#at++;
    for (let index = 0; index < items.length; index++) {
      items[index] = this.read(items[index], depth + 1);
      this.#skipSpace();
      this.#at++; // a comma, or the end
    }
    if (items.length === 0) this.#at = this.#text.indexOf(']', this.#at) + 1;
  }

  #readMembers(members: Record<string, unknown>, step: string, depth: number): void {
    let last = -1;
    this.#at++;
    this.#skipSpace();
    while (this.#text.charCodeAt(this.#at) !== CLOSE_BRACE) {
      if (this.#readName() === step) last = this.#at;
      this.#skipValue();
      this.#skipSpace();
      if (this.#text.charCodeAt(this.#at) === COMMA) this.#at++;
      this.#skipSpace();
    }
    const end = this.#at + 1;
    if (last >= 0) {
      this.#at = last;
      members[step] = this.read(members[step], depth + 1);
    }
    this.#at = end;
  }

  /** Reads the name of a member and its colon. */
  #readName(): string {
    const start = this.#at;
    this.#skipString();
    const name = this.#text.slice(start + 1, this.#at - 1);
    this.#at = this.#text.indexOf(':', this.#at) + 1;
    return name.includes('\\') ? JSON.parse(`"${name}"`) : name;
  }

  #skipValue(): void {
    this.#skipSpace();
    const first = this.#text.charCodeAt(this.#at);
    if (first === QUOTE) this.#skipString();
    else if (first === OPEN_BRACE || first === OPEN_BRACKET) this.#skipNested();
    else this.#skipWord();
  }

  #skipNested(): void {
    let level = 0;
    do {
      switch (this.#text.charCodeAt(this.#at)) {
        case QUOTE:
          this.#skipString();
          continue;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          level++;
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          level--;
      }
      this.#at++;
    } while (level > 0);
  }

  /** A number, `true`, `false` or `null`. */
  #skipWord(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === COMMA || unit === CLOSE_BRACE || unit === CLOSE_BRACKET || unit <= SPACE) return;
    }
  }

  #skipString(): void {
    let quote = this.#text.indexOf('"', this.#at + 1);
    while (this.#isEscaped(quote)) quote = this.#text.indexOf('"', quote + 1);
    this.#at = quote + 1;
  }

  #isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.#text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    return backslashes % 2 === 1;
  }

  #skipSpace(): void {
    while (this.#text.charCodeAt(this.#at) <= SPACE) this.#at++;
  }
}
