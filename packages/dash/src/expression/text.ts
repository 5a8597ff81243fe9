import type { Json } from '../document/json.ts';

/** A value as interpolation and `string()` write it (dashboard details 6.3). */
export function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
