import type { Json } from './json.ts';
import { indentedSize } from './size.ts';

const LONGEST_INDENTED = 64 * 1024 * 1024;

/**
 * JSON text for people and programs: indented by two spaces, up to 64 MiB. Deep lists indent to hundreds of times their
 * size, longer than a text can be.
 */
export function readableText(value: object): string {
  const fits = indentedSize(value as Json, LONGEST_INDENTED) <= LONGEST_INDENTED;
  return `${JSON.stringify(value, null, fits ? 2 : 0)}\n`;
}
