import { MalformedRequest } from '@msg/core/internal';

/** Nesting of objects and arrays (messaging details 1.1). */
export const MAX_JSON_LEVELS = 64;
/** Members of one object. */
export const MAX_JSON_MEMBERS = 10_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Index of the quote that ends a string whose first character is at `start`; the length of the text without one. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start);
  while (quote >= 0) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

/** A shorter text cannot exceed the number of members: each takes at least `"":0,`. */
const MANY_MEMBERS_LENGTH = 5 * MAX_JSON_MEMBERS;

/**
 * Refuses a JSON text that costs far more to parse than to send. The scan stops at the first character beyond a bound;
 * the parser checks the syntax.
 * @throws MalformedRequest
 */
export function requireBoundedJson(text: string): void {
  if (!hasFewBrackets(text)) requireFewLevels(text);
  if (text.length >= MANY_MEMBERS_LENGTH) requireFewMembers(text);
}

/** Whether a text has too few opening brackets for a level too many. Native search is faster than the scan. */
function hasFewBrackets(text: string): boolean {
  let left = MAX_JSON_LEVELS;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) if (--left < 0) return false;
  for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) if (--left < 0) return false;
  return true;
}

function requireFewLevels(text: string): void {
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++level > MAX_JSON_LEVELS) {
          throw new MalformedRequest(`the request is nested deeper than ${MAX_JSON_LEVELS} levels`);
        }
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (level > 0) level--;
    }
  }
}

function requireFewMembers(text: string): void {
  /** Members of the enclosing objects so far. */
  const outer: number[] = [];
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
      case COLON:
        // Outside strings a colon follows the name of a member.
        if (++members > MAX_JSON_MEMBERS) {
          throw new MalformedRequest(`an object of the request has more than ${MAX_JSON_MEMBERS} members`);
        }
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        outer.push(members);
        members = 0;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        members = outer.pop() ?? 0;
    }
  }
}
