import type { Json } from './json.ts';

/** Largest stored document (dashboard details 18). */
export const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;

/** Length of a value as compact JSON text; stops counting and returns Infinity once it is over `limit`. */
export function jsonSize(value: Json, limit: number): number {
  let size = 0;
  const waiting: Json[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) size += JSON.stringify(next).length;
    else if (Array.isArray(next)) {
      size += next.length + 1;
      if (size <= limit) for (const item of next) waiting.push(item);
    } else {
      for (const [key, item] of Object.entries(next)) {
        size += JSON.stringify(key).length + 2;
        waiting.push(item);
      }
      size++;
    }
    if (size > limit) return Number.POSITIVE_INFINITY;
  }
  return size;
}

/**
 * Length in bytes of a value as JSON text indented by two spaces; stops counting and returns Infinity once it is over
 * `limit`. Indentation can make a text hundreds of times longer than its value.
 */
export function indentedSize(value: Json, limit: number, depth = 0): number {
  if (typeof value !== 'object' || value === null) return bytesOf(value);
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  const items = Array.isArray(value) ? value : Object.values(value);
  if (items.length === 0) return 2;
  const ownLine = '\n'.length + 2 * (depth + 1);
  let size = '{'.length + items.length * (ownLine + ','.length) + 2 * depth + '}'.length;
  for (const key of keys) size += bytesOf(key) + ': '.length;
  for (const item of items) {
    if (size > limit) return Number.POSITIVE_INFINITY;
    size += indentedSize(item, limit - size, depth + 1);
  }
  return size > limit ? Number.POSITIVE_INFINITY : size;
}

/** A member that is undefined has no text. */
function bytesOf(scalar: Json | undefined): number {
  return Buffer.byteLength(JSON.stringify(scalar) ?? '');
}
