import { isJsonObject, type Json, ownMember } from './json.ts';

/** The error of {@link parsePointer}: the `reason` of PATCH_POINTER_INVALID. */
export type PointerError = 'no_leading_slash' | 'bad_escape' | 'forbidden_segment';

/** Unescaped segments of an RFC 6901 pointer; `''` is the whole document, `[]`. */
export type Pointer = readonly string[];

/**
 * Reads an RFC 6901 pointer. A segment `__proto__` is refused: no document needs it, and safety must not depend on
 * own-property access alone (dashboard details 11.1).
 */
export function parsePointer(text: string): Pointer | PointerError {
  if (text === '') return [];
  if (!text.startsWith('/')) return 'no_leading_slash';
  const segments = text.slice(1).split('/');
  if (segments.some(segment => /~(?![01])/.test(segment))) return 'bad_escape';
  const unescaped = segments.map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return unescaped.includes('__proto__') ? 'forbidden_segment' : unescaped;
}

/** The text of a pointer, each segment escaped. */
export function formatPointer(segments: Pointer): string {
  return segments.map(segment => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** An array index as RFC 6901 writes it (no sign, no leading zero); undefined for anything else, `-` included. */
export function arrayIndex(segment: string): number | undefined {
  return /^(?:0|[1-9]\d{0,14})$/.test(segment) ? Number(segment) : undefined;
}

/** The value one segment below `parent`; undefined when it does not exist. */
export function childOf(parent: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(parent)) {
    const index = arrayIndex(segment);
    return index === undefined ? undefined : parent[index];
  }
  return isJsonObject(parent) ? ownMember(parent, segment) : undefined;
}

/** The value at `pointer`; undefined when any step is missing. */
export function valueAt(document: Json, pointer: Pointer): Json | undefined {
  let value: Json | undefined = document;
  for (const segment of pointer) value = childOf(value, segment);
  return value;
}

/** True when `inner` lies strictly below `outer`. */
export function isBelow(inner: Pointer, outer: Pointer): boolean {
  return inner.length > outer.length && outer.every((segment, index) => segment === inner[index]);
}
