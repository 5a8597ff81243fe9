import type { Json } from './json.ts';

/** Length of a value as compact JSON text; stops counting, and says Infinity, once it is over `limit`. */
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
      size += 1;
    }
    if (size > limit) return Number.POSITIVE_INFINITY;
  }
  return size;
}
