import type { Json } from '../document/json.ts';

/** The text of a value for interpolation and `string()` (dashboard details 6.3). */
export function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
