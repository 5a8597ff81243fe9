/** Deepest nesting of arrays and objects in any JSON input (dashboard details 18). */
export const MAX_NESTING = 256;

/** True when arrays and objects nest deeper than `levels`; looks no deeper than that itself. */
export function nestsDeeper(value: unknown, levels: number = MAX_NESTING): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some(inner => nestsDeeper(inner, levels - 1));
}
