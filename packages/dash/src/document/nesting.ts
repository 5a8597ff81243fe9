/** Deepest nesting of arrays and objects in any JSON input (dashboard details 18). */
export const MAX_NESTING = 256;

/** True when arrays and objects nest deeper than `levels`; stops at that depth. */
export function nestsDeeper(value: unknown, levels: number = MAX_NESTING): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some(inner => nestsDeeper(inner, levels - 1));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * True when the brackets of a JSON text nest deeper than `levels`. Stops at the first that does, before the parser
 * reads megabytes of brackets. The text need not be JSON.
 */
export function textNestsDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (quoted) {
      if (unit === BACKSLASH) at++;
      else if (unit === QUOTE) quoted = false;
    } else if (unit === QUOTE) quoted = true;
    else if (unit === OPEN_ARRAY || unit === OPEN_OBJECT) {
      depth++;
      if (depth > levels) return true;
    } else if (unit === CLOSE_ARRAY || unit === CLOSE_OBJECT) depth--;
  }
  return false;
}
