import { MsgError } from '@msg/core';

/** Longest pattern, bytes. */
const MAX_BYTES = 256;
/** Maximum number of alternatives of all braces. */
const MAX_ALTERNATIVES = 64;

/**
 * A pattern of channel names: `*` matches any characters, `?` one character, `{a,b}` one of several. Matching takes time
 * linear in the name's length per alternative.
 */
export class NamePattern {
  readonly #alternatives: readonly string[];

  /** @throws MsgError MSG_INVALID_ARGUMENT */
  constructor(text: string) {
    this.#alternatives = NamePattern.check(text);
  }

  /** The alternatives of a pattern. @throws MsgError MSG_INVALID_ARGUMENT */
  static check(text: string): readonly string[] {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_BYTES)
      throw new MsgError('MSG_INVALID_ARGUMENT', `pattern must be at most ${MAX_BYTES} bytes; got ${bytes}`);
    return expanded(text);
  }

  matches(name: string): boolean {
    return this.#alternatives.some(alternative => matches(alternative, name));
  }
}

/** The alternatives of a text, without braces. */
function expanded(text: string): readonly string[] {
  let alternatives = [''];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{', at);
    const literal = text.slice(at, open < 0 ? undefined : open);
    alternatives = alternatives.map(before => before + literal);
    if (open < 0) break;
    const close = text.indexOf('}', open);
    const inside = text.slice(open + 1, close);
    if (close < 0 || inside.includes('{'))
      throw new MsgError('MSG_INVALID_ARGUMENT', 'pattern must close every { with a } and not nest them');
    alternatives = alternatives.flatMap(before => inside.split(',').map(choice => before + choice));
    if (alternatives.length > MAX_ALTERNATIVES)
      throw new MsgError(
        'MSG_INVALID_ARGUMENT',
        `pattern must have at most ${MAX_ALTERNATIVES} alternatives`,
      );
    at = close + 1;
  }
  if (alternatives.some(alternative => alternative.includes('}')))
    throw new MsgError('MSG_INVALID_ARGUMENT', 'pattern must open every } with a {');
  return alternatives;
}

/** Greedy, and backtracks to the last `*` only: at most pattern × name steps. */
function matches(pattern: string, name: string): boolean {
  let inPattern = 0;
  let inName = 0;
  let star = -1;
  let starName = 0;
  while (inName < name.length) {
    const wanted = pattern[inPattern];
    if (wanted === '*') {
      star = inPattern++;
      starName = inName;
    } else if (wanted === '?' || wanted === name[inName]) {
      inPattern++;
      inName++;
    } else if (star >= 0) {
      inPattern = star + 1;
      inName = ++starName;
    } else return false;
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern === pattern.length;
}
