import type { FilterNode } from 'centrifuge';

/** The tag of every publication where clients filter. */
const HALF = 'half';

/** What clients ask for: every second publication. */
export const EVEN_HALF: FilterNode = { key: HALF, cmp: 'eq', val: 'even' };

/** The tags of the publication with a serial. */
export function tagsOf(serial: number): Readonly<Record<string, string>> {
  return { [HALF]: serial % 2 === 0 ? 'even' : 'odd' };
}

/** Whether the filter excludes a publication, by its text. */
export function isExcluded(text: string): boolean {
  const serial = /"serial":(?<serial>\d+)/.exec(text)?.groups?.['serial'];
  return Number(serial) % 2 === 1;
}
