// Where the values of a JSON text stand. The text is known to be valid: nothing is checked, and nothing is made.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const OBJECT = 0x7b;
/** Blanks, line breaks, the colon and the comma between values. */
const BETWEEN: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x3a, COMMA]);

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
}

/** The end of the value that begins at `start`. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (!OPENING.has(first)) return endOfWord(text, start);
  let depth = 0;
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (OPENING.has(code)) depth++;
    else if (CLOSING.has(code) && --depth === 0) return at + 1;
  }
}

/** The end of a number, or of true, false and null. */
function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !BETWEEN.has(text.charCodeAt(at)) && !CLOSING.has(text.charCodeAt(at))) at++;
  return at;
}

/** Where the members of the list or object at `start` begin; a list has no names. */
export function membersOf(
  text: string,
  start: number,
): { readonly names: readonly number[]; readonly values: readonly number[] } {
  const hasNames = text.charCodeAt(start) === OBJECT;
  const [names, values]: [number[], number[]] = [[], []];
  for (let at = start + 1, isName = hasNames; ; ) {
    const code = text.charCodeAt(at);
    if (BETWEEN.has(code)) at++;
    else if (CLOSING.has(code)) return { names, values };
    else {
      (isName ? names : values).push(at);
      at = endOfValue(text, at);
      if (hasNames) isName = !isName;
    }
  }
}
